#pragma once
// A small reader for tables of measurements: CSV without quoting, plain or zstd-compressed, read
// whole.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/result.hpp"

namespace orrery::calibration {

class CsvTable {
 public:
  static Result<CsvTable> load(const std::filesystem::path& path);

  std::size_t rows() const { return cells_.size(); }
  bool has(std::string_view column) const { return index_of(column) < names_.size(); }
  /// The cell, or an empty text where there is no such column.
  std::string_view text(std::size_t row, std::string_view column) const;
  /// The cell as a number; NaN when it is none.
  double number(std::size_t row, std::string_view column) const;

 private:
  std::size_t index_of(std::string_view column) const;

  std::string data_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string_view>> cells_;
};

}  // namespace orrery::calibration
