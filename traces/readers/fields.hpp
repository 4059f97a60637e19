#pragma once
// Numbers, times and columns of text formats.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/reader.hpp"

namespace orrery::traces {

/// A whole number that fills the text; false otherwise. A fraction of zeros ("12.0") is accepted.
bool parse_whole(std::string_view text, std::int64_t& out);
/// Seconds times `unit_s` as nanoseconds; false for what is no finite number within +-100 years.
bool parse_seconds(std::string_view text, double unit_s, std::chrono::nanoseconds& out);
/// "2023-11-16 18:15:46.6805900", also with "T" and a time zone; nanoseconds since 1970.
bool parse_timestamp(std::string_view text, std::chrono::nanoseconds& out);
std::string_view trimmed(std::string_view text);

/// Columns of a CSV header by name.
class CsvColumns {
 public:
  /// Splits the header; quotes around names are dropped.
  explicit CsvColumns(std::string_view header = {});
  const std::vector<std::string>& names() const { return names_; }
  /// Position of a column, or -1.
  int find(std::string_view name) const;
  /// Position of a column that must be there; a fault with the nearest name otherwise.
  int need(std::string_view name, Diagnostics& faults) const;

 private:
  std::vector<std::string> names_;
};

/// The cells of a CSV line; an array is reused between lines.
void split_cells(std::string_view line, std::vector<std::string_view>& cells);

/// CSV with a header that names its columns, for formats that differ in names only.
struct CsvLayout {
  std::string arrival;         ///< Empty: everything arrives at time zero.
  bool arrival_needed = true;  ///< False: zero where the column is absent.
  double arrival_unit_s = 1.0;
  bool timestamps = false;  ///< Arrival is a date and time.
  std::string prompt;
  std::string output;
  std::string session;       ///< Empty: none.
  std::string block_hashes;  ///< Empty: none; ids separated by spaces or ';'.
  std::int32_t hash_block_tokens = 0;
  bool skip_empty_output = false;  ///< Rows without output are failed requests.
};
std::unique_ptr<LineParser> make_csv_parser(CsvLayout layout);

/// JSON lines with the same fields as keys.
std::unique_ptr<LineParser> make_jsonl_parser(CsvLayout layout);

/// True when the header has all these columns.
bool has_columns(std::string_view header, std::initializer_list<std::string_view> names);

}  // namespace orrery::traces
