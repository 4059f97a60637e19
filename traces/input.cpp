#include "traces/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

namespace orrery::traces {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10U;

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(int descriptor) : descriptor_(descriptor) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override { ::close(descriptor_); }

  std::size_t read(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, out, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      error_ = std::strerror(errno);
      return 0;
    }
  }

 private:
  int descriptor_;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view text) : rest_(text) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    std::copy_n(rest_.data(), count, out);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

/// Base of decompressors: keeps a chunk of compressed input.
class Decompressor : public ByteSource {
 public:
  Decompressor(std::unique_ptr<ByteSource> inner, std::string head)
      : inner_(std::move(inner)), input_(std::move(head)) {}

 protected:
  // Reads more input when all is used; false at its end.
  bool refill() {
    if (used_ < input_.size()) return true;
    input_.resize(kChunk);
    used_ = 0;
    input_.resize(inner_->read(input_.data(), input_.size()));
    if (!inner_->error().empty()) error_ = inner_->error();
    return !input_.empty();
  }

  std::unique_ptr<ByteSource> inner_;
  std::string input_;
  std::size_t used_ = 0;
};

/// No compression; gives back the bytes that were looked at first.
class PlainBytes final : public Decompressor {
 public:
  using Decompressor::Decompressor;
  std::size_t read(char* out, std::size_t size) override {
    if (used_ >= input_.size()) {
      const std::size_t got = inner_->read(out, size);
      if (!inner_->error().empty()) error_ = inner_->error();
      return got;
    }
    const std::size_t count = std::min(size, input_.size() - used_);
    std::copy_n(input_.data() + used_, count, out);
    used_ += count;
    return count;
  }
};

class GzipBytes final : public Decompressor {
 public:
  GzipBytes(std::unique_ptr<ByteSource> inner, std::string head)
      : Decompressor(std::move(inner), std::move(head)) {
    constexpr int kGzip = 15 + 16;
    if (inflateInit2(&stream_, kGzip) != Z_OK) error_ = "no memory to decompress";
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { inflateEnd(&stream_); }

  std::size_t read(char* out, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size && error_.empty()) {
      if (!refill()) {
        if (!member_done_ && error_.empty()) {
          error_ = "the gzip data end too early; the file is truncated";
        }
        break;
      }
      if (member_done_) {
        inflateReset(&stream_);  // Several members, one after the other.
        member_done_ = false;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + used_);
      stream_.avail_in = static_cast<uInt>(input_.size() - used_);
      const int state = inflate(&stream_, Z_NO_FLUSH);
      used_ = input_.size() - stream_.avail_in;
      if (state == Z_STREAM_END) {
        member_done_ = true;
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        error_ = fmt::format("damaged gzip data ({})",
                             stream_.msg != nullptr ? stream_.msg : "no reason given");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool member_done_ = false;
};

class ZstdBytes final : public Decompressor {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> inner, std::string head)
      : Decompressor(std::move(inner), std::move(head)), context_(ZSTD_createDCtx()) {}
  ZstdBytes(const ZstdBytes&) = delete;
  ZstdBytes& operator=(const ZstdBytes&) = delete;
  ~ZstdBytes() override { ZSTD_freeDCtx(context_); }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer output{out, size, 0};
    while (output.pos == 0 && error_.empty()) {
      if (!refill()) {
        if (pending_ != 0 && error_.empty()) {
          error_ = "the zstd data end too early; the file is truncated";
        }
        break;
      }
      ZSTD_inBuffer input{input_.data(), input_.size(), used_};
      pending_ = ZSTD_decompressStream(context_, &output, &input);
      used_ = input.pos;
      if (ZSTD_isError(pending_) != 0) {
        error_ = fmt::format("damaged zstd data ({})", ZSTD_getErrorName(pending_));
      }
    }
    return output.pos;
  }

 private:
  ZSTD_DCtx* context_;
  std::size_t pending_ = 1;
};

// A frame of zstd, or a skippable one (the last byte but three varies), with which some writers
// begin.
bool begins_zstd(std::string_view head) {
  constexpr std::string_view kFrame("\x28\xb5\x2f\xfd", 4);
  constexpr std::string_view kSkippable("\x2a\x4d\x18", 3);
  return head == kFrame || (head.size() == 4 && head.substr(1) == kSkippable &&
                            (static_cast<unsigned char>(head[0]) & 0xf0U) == 0x50);
}

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes) {
  constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
  constexpr std::size_t kMagicLength = 4;
  std::string head(kMagicLength, '\0');
  std::size_t got = 0;
  while (got < head.size()) {
    const std::size_t more = bytes->read(head.data() + got, head.size() - got);
    if (more == 0) break;
    got += more;
  }
  head.resize(got);
  if (head.compare(0, kGzipMagic.size(), kGzipMagic) == 0 && got >= kGzipMagic.size()) {
    return std::make_unique<GzipBytes>(std::move(bytes), std::move(head));
  }
  if (begins_zstd(head)) return std::make_unique<ZstdBytes>(std::move(bytes), std::move(head));
  return std::make_unique<PlainBytes>(std::move(bytes), std::move(head));
}

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  const auto fault = [&path](std::string message) {
    Diagnostic diagnostic;
    diagnostic.where.file = path;
    diagnostic.message = std::move(message);
    return diagnostic;
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fault(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return fault("a folder, not a trace");
  }
  return decompressed(std::make_unique<FileBytes>(descriptor));
}

std::unique_ptr<ByteSource> open_memory(std::string_view text) {
  return decompressed(std::make_unique<MemoryBytes>(text));
}

bool LineReader::fill() {
  if (finished_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  buffer_.resize(end_ + kChunk);
  const std::size_t got = bytes_->read(buffer_.data() + end_, kChunk);
  end_ += got;
  if (got == 0) {
    finished_ = true;
    if (!bytes_->error().empty()) error_ = bytes_->error();
  }
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const void* found =
        end_ > searched ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr;
    if (found != nullptr) {
      const auto stop = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = std::string_view(buffer_).substr(begin_, stop - begin_);
      begin_ = stop + 1;
      break;
    }
    if (end_ - begin_ > kLongestLine) {
      error_ = fmt::format("line {} is longer than {} MiB", line_number_ + 1, kLongestLine >> 20U);
      finished_ = true;
      return false;
    }
    const std::size_t unread = end_ - begin_;
    if (fill()) {
      searched = begin_ + unread;
      continue;
    }
    if (end_ == begin_ || !error_.empty()) return false;
    line = std::string_view(buffer_).substr(begin_, end_ - begin_);  // no end of line
    begin_ = end_;
    break;
  }
  if (line_number_ == 0) {
    constexpr std::string_view kByteOrderMark("\xef\xbb\xbf", 3);
    if (line.substr(0, 3) == kByteOrderMark) line.remove_prefix(3);
  }
  if (line_number_ < INT_MAX) ++line_number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

}  // namespace orrery::traces
