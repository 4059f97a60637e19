#pragma once
// Whole buffers and files, compressed or not. Streams of requests have a reader of their own in
// traces/, which never holds a file whole.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery {

/// zstd at a level that favours size.
std::string zstd_compress(std::string_view data);
/// Fails on damaged data and on results above `limit` bytes.
Result<std::string> zstd_decompress(std::string_view data, std::size_t limit);
/// A file as it is, or decompressed when it begins like a zstd file.
Result<std::string> read_whole_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace orrery
