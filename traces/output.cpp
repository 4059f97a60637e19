#include "traces/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace orrery::traces {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;

class PlainSink final : public ByteSink {
 public:
  explicit PlainSink(int descriptor) : descriptor_(descriptor) {}
  PlainSink(const PlainSink&) = delete;
  PlainSink& operator=(const PlainSink&) = delete;
  ~PlainSink() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  bool write(std::string_view data) override {
    while (!data.empty() && error_.empty()) {
      const ssize_t written = ::write(descriptor_, data.data(), data.size());
      if (written >= 0) {
        data.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        error_ = std::strerror(errno);
      }
    }
    return error_.empty();
  }

  bool finish() override {
    // Pipes and devices cannot be synchronised (EINVAL), which is no loss.
    if (error_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
      error_ = std::strerror(errno);
    }
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_.empty()) {
      error_ = std::strerror(errno);
    }
    return error_.empty();
  }

 private:
  int descriptor_;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> inner) : inner_(std::move(inner)) {
    constexpr int kGzip = 15 + 16;
    constexpr int kMemory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      error_ = "no memory to compress";
    }
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override { deflateEnd(&stream_); }

  bool write(std::string_view data) override { return feed(data, Z_NO_FLUSH); }
  bool finish() override {
    if (!feed({}, Z_FINISH)) return false;
    if (!inner_->finish()) error_ = inner_->error();
    return error_.empty();
  }

 private:
  bool feed(std::string_view data, int flush) {
    if (!error_.empty()) return false;
    // zlib's older interface takes no const input; it does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
      stream_.avail_out = static_cast<uInt>(chunk_.size());
      deflate(&stream_, flush);
      if (!inner_->write({chunk_.data(), chunk_.size() - stream_.avail_out})) {
        error_ = inner_->error();
      }
    } while (stream_.avail_out == 0 && error_.empty());
    return error_.empty();
  }

  std::unique_ptr<ByteSink> inner_;
  z_stream stream_{};
  std::string chunk_ = std::string(kChunk, '\0');
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> inner)
      : inner_(std::move(inner)), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) error_ = "no memory to compress";
  }
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  ~ZstdSink() override { ZSTD_freeCCtx(context_); }

  bool write(std::string_view data) override { return feed(data, ZSTD_e_continue); }
  bool finish() override {
    if (!feed({}, ZSTD_e_end)) return false;
    if (!inner_->finish()) error_ = inner_->error();
    return error_.empty();
  }

 private:
  bool feed(std::string_view data, ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{data.data(), data.size(), 0};
    std::size_t left = 1;
    while (error_.empty() && (input.pos < input.size || (directive == ZSTD_e_end && left != 0))) {
      ZSTD_outBuffer output{chunk_.data(), chunk_.size(), 0};
      left = ZSTD_compressStream2(context_, &output, &input, directive);
      if (ZSTD_isError(left) != 0) {
        error_ = ZSTD_getErrorName(left);
      } else if (!inner_->write({chunk_.data(), output.pos})) {
        error_ = inner_->error();
      }
    }
    return error_.empty();
  }

  std::unique_ptr<ByteSink> inner_;
  ZSTD_CCtx* context_;
  std::string chunk_ = std::string(kChunk, '\0');
};

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

Diagnostic fault_of(const std::string& path, std::string message) {
  Diagnostic diagnostic;
  diagnostic.where.file = path;
  diagnostic.message = std::move(message);
  return diagnostic;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  struct stat status {};
  const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  const std::string temporary = special ? std::string{} : path + ".partial";
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(special ? path.c_str() : temporary.c_str(),
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    return fault_of(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  std::unique_ptr<ByteSink> sink = std::make_unique<PlainSink>(descriptor);
  if (ends_with(path, ".gz")) sink = std::make_unique<GzipSink>(std::move(sink));
  if (ends_with(path, ".zst")) sink = std::make_unique<ZstdSink>(std::move(sink));
  return OutputFile(path, temporary, std::move(sink));
}

OutputFile::OutputFile(std::string path, std::string temporary, std::unique_ptr<ByteSink> sink)
    : path_(std::move(path)), temporary_(std::move(temporary)), sink_(std::move(sink)) {}

OutputFile::~OutputFile() {
  if (sink_ != nullptr && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Diagnostic OutputFile::fault() const {
  return fault_of(path_, fmt::format("writing failed: {}", sink_->error()));
}

Diagnostics OutputFile::commit() {
  if (!sink_->finish()) return {fault()};
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return {fault_of(path_, fmt::format("cannot be written: {}", std::strerror(errno)))};
  }
  temporary_.clear();
  return {};
}

}  // namespace orrery::traces
