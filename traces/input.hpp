#pragma once
// Lines of a text file, plain, gzip or zstd (told apart by their first bytes, not by name),
// streamed through a buffer of fixed size. A line has a length limit, so that a file without line
// ends cannot exhaust memory.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery::traces {

/// Bytes from somewhere. read() returns how many it put into `out`, 0 at the end.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// What went wrong, or empty.
  const std::string& error() const { return error_; }

 protected:
  std::string error_;
};

/// The decompressed content of a file.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);
/// The same of any bytes. A read error of theirs becomes an error of the result.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes);
/// Text in memory, decompressed likewise. The text must outlive the source.
std::unique_ptr<ByteSource> open_memory(std::string_view text);

class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20U;

  explicit LineReader(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}

  /// The next line without its end ("\n" or "\r\n") and, at the first, without a byte order mark;
  /// false at the end or on an error. The view is
  /// valid until the next call.
  bool next(std::string_view& line);
  /// Number of the line returned last, from 1.
  int line_number() const { return line_number_; }
  /// What ended reading early, or empty.
  const std::string& error() const { return error_; }

 private:
  bool fill();

  std::unique_ptr<ByteSource> bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool finished_ = false;
  int line_number_ = 0;
  std::string error_;
};

}  // namespace orrery::traces
