#pragma once
// Rows of a run wait here until the run ends, so that the database is locked only for the moment in
// which they are copied and a killed run leaves no trace in it. The first 16 MiB stay in memory;
// beyond that full chunks go to an unnamed file beside the database, which the system removes when
// the process ends in whatever way.

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace orrery::analysis::detail {

/// A sequence of bytes, appended once and read once from the start.
class ByteSpool {
 public:
  /// `folder`: where the unnamed file is made when it is needed.
  explicit ByteSpool(std::string folder, std::size_t memory_bytes = std::size_t{16} << 20);
  /// Throws StoreFailure when the file cannot be made or written.
  void append(const void* bytes, std::size_t size);
  /// Calls `consume` with consecutive pieces whose sizes are multiples of `unit`.
  void read(std::size_t unit, const std::function<void(std::span<const std::byte>)>& consume);
  std::size_t size() const { return written_ + buffer_.size(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void spill();

  std::string folder_;
  std::size_t memory_bytes_;
  std::vector<std::byte> buffer_;
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t written_ = 0;
};

/// A sequence of records of a plain type.
template <class Record>
class Spool {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  explicit Spool(std::string folder, std::size_t memory_bytes = std::size_t{16} << 20)
      : bytes_(std::move(folder), memory_bytes) {}
  void append(const Record& record) { bytes_.append(&record, sizeof record); }
  std::size_t size() const { return bytes_.size() / sizeof(Record); }
  /// Calls `consume(record)` in the order of appending.
  template <class Consume>
  void for_each(Consume&& consume) {
    bytes_.read(sizeof(Record), [&](std::span<const std::byte> piece) {
      Record record;
      for (std::size_t at = 0; at < piece.size(); at += sizeof record) {
        std::copy_n(piece.data() + at, sizeof record, reinterpret_cast<std::byte*>(&record));
        consume(record);
      }
    });
  }

 private:
  ByteSpool bytes_;
};

}  // namespace orrery::analysis::detail
