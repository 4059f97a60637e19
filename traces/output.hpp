#pragma once
// Bytes to a file that appears whole or not at all, compressed if its name says so.

#include <memory>
#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery::traces {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// False once anything failed; error() then says what.
  virtual bool write(std::string_view data) = 0;
  /// Writes what is still held back. Nothing may follow.
  virtual bool finish() = 0;
  const std::string& error() const { return error_; }

 protected:
  std::string error_;
};

/// A file under a temporary name (`path.partial`) until commit(). What is no regular file (a pipe,
/// a device) is written to directly. Without commit() nothing of it is left.
class OutputFile {
 public:
  /// `path` ends in .gz or .zst for compression.
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) noexcept = default;
  ~OutputFile();

  bool write(std::string_view data) { return sink_->write(data); }
  /// Finishes, brings the data to the disk and gives the file its name. The fault otherwise.
  Diagnostics commit();
  /// The fault of a write that failed.
  Diagnostic fault() const;

 private:
  OutputFile(std::string path, std::string temporary, std::unique_ptr<ByteSink> sink);

  std::string path_;
  std::string temporary_;  // empty: written directly, or committed
  std::unique_ptr<ByteSink> sink_;
};

}  // namespace orrery::traces
