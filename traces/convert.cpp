#include "traces/convert.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace orrery::traces {
namespace {

/// Bytes to a file, perhaps compressed. write() and close() are false once anything failed.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool write(std::string_view data) = 0;
  virtual bool close() = 0;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool put(std::FILE* file, const char* data, std::size_t size) {
  return std::fwrite(data, 1, size, file) == size;
}

class PlainSink final : public Sink {
 public:
  explicit PlainSink(File file) : file_(std::move(file)) {}
  bool write(std::string_view data) override { return put(file_.get(), data.data(), data.size()); }
  bool close() override { return std::fclose(file_.release()) == 0; }

 private:
  File file_;
};

class GzipSink final : public Sink {
 public:
  explicit GzipSink(const std::string& path) : file_(gzopen(path.c_str(), "wb")) {}
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override {
    if (file_ != nullptr) gzclose(file_);
  }
  bool write(std::string_view data) override {
    return file_ != nullptr && gzwrite(file_, data.data(), static_cast<unsigned>(data.size())) ==
                                   static_cast<int>(data.size());
  }
  bool close() override {
    const bool good = file_ != nullptr && gzclose(file_) == Z_OK;
    file_ = nullptr;
    return good;
  }

 private:
  gzFile file_;
};

class ZstdSink final : public Sink {
 public:
  explicit ZstdSink(File file) : file_(std::move(file)), context_(ZSTD_createCCtx()) {}
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  ~ZstdSink() override { ZSTD_freeCCtx(context_); }
  bool write(std::string_view data) override { return feed(data, ZSTD_e_continue); }
  bool close() override { return feed({}, ZSTD_e_end) && std::fclose(file_.release()) == 0; }

 private:
  bool feed(std::string_view data, ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{data.data(), data.size(), 0};
    std::size_t left = 1;
    while (input.pos < input.size || (directive == ZSTD_e_end && left != 0)) {
      ZSTD_outBuffer output{chunk_.data(), chunk_.size(), 0};
      left = ZSTD_compressStream2(context_, &output, &input, directive);
      if (ZSTD_isError(left) != 0 || !put(file_.get(), chunk_.data(), output.pos)) return false;
    }
    return true;
  }

  File file_;
  ZSTD_CCtx* context_;
  std::string chunk_ = std::string(ZSTD_CStreamOutSize(), '\0');
};

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

std::unique_ptr<Sink> open_sink(const std::string& path, const std::string& name) {
  if (ends_with(name, ".gz")) return std::make_unique<GzipSink>(path);
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return nullptr;
  if (ends_with(name, ".zst")) return std::make_unique<ZstdSink>(std::move(file));
  return std::make_unique<PlainSink>(std::move(file));
}

std::string csv_row(const Request& request) {
  std::string row = fmt::format("{}.{:09},{},{},", request.arrival.count() / 1'000'000'000,
                                request.arrival.count() % 1'000'000'000, request.prompt_tokens,
                                request.output_tokens);
  if (request.session >= 0) row += fmt::format("{}", request.session);
  return row +
         fmt::format(",{},{}\n", request.hash_block_tokens, fmt::join(request.block_hashes, " "));
}

std::string json_row(const Request& request) {
  return fmt::format(
      "{{\"arrival_s\": {}.{:09}, \"prompt_tokens\": {}, \"output_tokens\": {}, \"session\": {}, "
      "\"hash_block_tokens\": {}, \"block_hashes\": [{}]}}\n",
      request.arrival.count() / 1'000'000'000, request.arrival.count() % 1'000'000'000,
      request.prompt_tokens, request.output_tokens, request.session, request.hash_block_tokens,
      fmt::join(request.block_hashes, ", "));
}

Diagnostic fault(const std::string& path, std::string message) {
  Diagnostic diagnostic;
  diagnostic.where.file = path;
  diagnostic.message = std::move(message);
  return diagnostic;
}

}  // namespace

Result<std::int64_t> write_trace(RequestSource& source, const std::string& path) {
  std::string name = path;
  for (const char* ending : {".gz", ".zst"}) {
    if (ends_with(name, ending)) name.resize(name.size() - std::strlen(ending));
  }
  const bool csv = ends_with(name, ".csv");
  if (!csv && !ends_with(name, ".jsonl")) {
    Diagnostic diagnostic = fault(path, "unknown kind of output file");
    diagnostic.allowed = "a name that ends in .csv or .jsonl, with .gz or .zst behind it if wanted";
    return diagnostic;
  }
  const std::string partial = path + ".partial";
  std::unique_ptr<Sink> sink = open_sink(partial, path);
  if (sink == nullptr)
    return fault(path, fmt::format("cannot be written: {}", std::strerror(errno)));
  bool good = !csv || sink->write(
                          "arrival_s,prompt_tokens,output_tokens,session,hash_block_tokens,"
                          "block_hashes\n");
  std::int64_t written = 0;
  Request request;
  Pull pull = Pull::kEnd;
  while (good && (pull = source.next(request)) == Pull::kRequest) {
    good = sink->write(csv ? csv_row(request) : json_row(request));
    ++written;
  }
  const int reason = errno;
  good = sink->close() && good;
  std::error_code error;
  if (pull == Pull::kFault || !good) {
    std::filesystem::remove(partial, error);
    if (pull == Pull::kFault) return source.faults();
    return fault(path, fmt::format("writing failed: {}", std::strerror(reason)));
  }
  std::filesystem::rename(partial, path, error);
  if (error) return fault(path, error.message());
  return written;
}

}  // namespace orrery::traces
