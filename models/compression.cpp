#include "models/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

namespace orrery {
namespace {

Diagnostic fault(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  return diagnostic;
}

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string zstd_compress(std::string_view data) {
  constexpr int kLevel = 19;
  std::string out(ZSTD_compressBound(data.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), data.data(), data.size(), kLevel));
  return out;
}

Result<std::string> zstd_decompress(std::string_view data, std::size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string out;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{data.data(), data.size(), 0};
  std::size_t pending = 1;
  while (input.pos < input.size) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    pending = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(pending) != 0) {
      return fault(fmt::format("damaged compressed data ({})", ZSTD_getErrorName(pending)));
    }
    if (out.size() + output.pos > limit) {
      return fault(fmt::format("more than {} bytes when decompressed", limit));
    }
    out.append(chunk.data(), output.pos);
  }
  if (pending != 0) return fault("compressed data end too early");
  return out;
}

Result<std::string> read_whole_file(const std::filesystem::path& path, std::size_t limit) {
  const auto located = [&path](Diagnostic diagnostic) {
    diagnostic.where.file = path.string();
    return diagnostic;
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return located(fault("a folder, not a file"));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return located(fault("cannot be read: " + error.message()));
  if (size > limit) return located(fault(fmt::format("larger than {} bytes", limit)));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return located(fault("cannot be read"));
  std::string data = std::move(text).str();
  constexpr std::string_view kMagic("\x28\xb5\x2f\xfd", 4);
  if (data.compare(0, kMagic.size(), kMagic) != 0) return data;
  Result<std::string> plain = zstd_decompress(data, limit);
  if (!plain) return located(plain.faults().front());
  return plain;
}

}  // namespace orrery
