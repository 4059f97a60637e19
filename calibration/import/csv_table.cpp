#include "calibration/import/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "models/compression.hpp"

namespace orrery::calibration {
namespace {

constexpr std::size_t kLargestFile = std::size_t{512} << 20U;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<CsvTable> CsvTable::load(const std::filesystem::path& path) {
  Result<std::string> text = read_whole_file(path, kLargestFile);
  if (!text) return std::move(text).faults();
  CsvTable table;
  table.data_ = *std::move(text);
  std::string_view rest = table.data_;
  Diagnostics faults;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    std::string_view row = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    if (row.empty()) continue;
    std::vector<std::string_view> cells = split(row);
    if (table.names_.empty()) {
      for (const std::string_view name : cells) table.names_.emplace_back(name);
    } else if (cells.size() == table.names_.size()) {
      table.cells_.push_back(std::move(cells));
    } else {
      Diagnostic fault;
      fault.where = {path.string(), line, 1};
      fault.message =
          fmt::format("{} columns, the header has {}", cells.size(), table.names_.size());
      faults.push_back(std::move(fault));
      if (faults.size() >= 20) return faults;
    }
  }
  if (!faults.empty()) return faults;
  return table;
}

std::size_t CsvTable::index_of(std::string_view column) const {
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), column) - names_.begin());
}

std::string_view CsvTable::text(std::size_t row, std::string_view column) const {
  const std::size_t index = index_of(column);
  return index < names_.size() ? cells_[row][index] : std::string_view{};
}

double CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string_view cell = text(row, column);
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc{} && end == cell.data() + cell.size() && !cell.empty();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace orrery::calibration
