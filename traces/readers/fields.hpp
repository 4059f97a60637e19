#pragma once
// Numbers, times and columns of text formats.

#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/reader.hpp"

namespace orrery::traces {

/// A whole number that fills the text; false otherwise. A fraction of zeros ("12.0") is accepted.
bool parse_whole(std::string_view text, std::int64_t& out);

/// Times written as numbers of a unit. Decimal fractions of a decimal unit (s, ms, us, ...) are
/// read exactly to the nanosecond below; other notations go through a double.
class TimeUnit {
 public:
  explicit TimeUnit(double seconds);
  /// False for what is no number from 0 to 100 years.
  bool parse(std::string_view text, std::chrono::nanoseconds& out) const;

 private:
  double seconds_;
  int decimal_places_ = -1;  // 10^-places seconds; -1: the unit is no power of ten
};

/// Reads "2023-11-16 18:15:46.6805900", also with "T" and a time zone, as nanoseconds since 1970.
/// Remembers the day, since one row is mostly of the same day as the row above.
class TimestampParser {
 public:
  bool parse(std::string_view text, std::chrono::nanoseconds& out);

 private:
  bool read_day(std::string_view text);

  static constexpr std::size_t kDayLength = 10;
  std::array<char, kDayLength> day_text_{};
  std::chrono::nanoseconds day_{0};
  bool day_known_ = false;
};

/// Without blanks around and without quotes.
std::string_view trimmed(std::string_view text);
/// The beginning of the text for a message: at most 40 characters, none that a terminal obeys.
std::string excerpt(std::string_view text);
/// A whole number stays; another text becomes a number that tells it from others; blank: -1.
std::int64_t session_id(std::string_view text);
/// FNV-1a, 64 bits.
std::uint64_t text_hash(std::string_view text);

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

/// The fields of a request by the names that a format gives them: columns of a CSV header or keys
/// of JSON lines. An empty name: the format has no such field.
struct FieldNames {
  std::string arrival;
  bool arrival_needed = true;  ///< False: everything arrives at time zero where it is absent.
  double arrival_unit_s = 1.0;
  bool timestamps = false;  ///< Arrivals are dates and times only, never numbers.
  std::string prompt;
  std::string output;
  std::string session;
  bool session_needed = false;
  std::string turn;          ///< Never needed: turns are counted where it is absent.
  std::string block_hashes;  ///< In CSV: ids separated by spaces or ';'.
  bool block_hashes_needed = false;
  std::int32_t hash_block_tokens = 0;
  std::string hash_block_tokens_name;  ///< Never needed; replaces the number above, row by row.
  bool skip_empty_output = false;      ///< Rows without output are failed requests.
};
std::unique_ptr<LineParser> make_csv_parser(FieldNames names);
std::unique_ptr<LineParser> make_jsonl_parser(FieldNames names);

/// True when the header has all these columns.
bool has_columns(std::string_view header, std::initializer_list<std::string_view> names);

}  // namespace orrery::traces
