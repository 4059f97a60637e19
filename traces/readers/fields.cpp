#include "traces/readers/fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "models/registry.hpp"

namespace orrery::traces {
namespace {

constexpr double kLongestSeconds = 100.0 * 365.25 * 86400.0;

// Reads exactly `digits` digits.
bool fixed_digits(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  out = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool expect(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool read_fraction(std::string_view& text, std::int64_t& nanoseconds) {
  nanoseconds = 0;
  if (text.empty() || text.front() != '.') return true;
  text.remove_prefix(1);
  std::int64_t scale = 100'000'000;
  std::size_t digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    nanoseconds += (text.front() - '0') * scale;
    scale /= 10;
    text.remove_prefix(1);
    ++digits;
  }
  return digits > 0;
}

// "Z", "+00:00", "-0730" or nothing.
bool read_zone(std::string_view text, int& offset_minutes) {
  offset_minutes = 0;
  if (text.empty() || text == "Z") return true;
  const bool negative = text.front() == '-';
  if (!expect(text, "+-")) return false;
  int hours = 0;
  int minutes = 0;
  if (!fixed_digits(text, 2, hours)) return false;
  if (!text.empty() && text.front() == ':') text.remove_prefix(1);
  if (!text.empty() && !fixed_digits(text, 2, minutes)) return false;
  offset_minutes = (negative ? -1 : 1) * (hours * 60 + minutes);
  return text.empty();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

bool parse_whole(std::string_view text, std::int64_t& out) {
  text = trimmed(text);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc{}) return false;
  if (stop == end) return true;
  double value = 0.0;
  const auto [rest, bad] = std::from_chars(text.data(), end, value);
  if (bad != std::errc{} || rest != end || !(std::abs(value) < 9e15)) return false;
  out = static_cast<std::int64_t>(value);
  return static_cast<double>(out) == value;
}

bool parse_seconds(std::string_view text, double unit_s, std::chrono::nanoseconds& out) {
  text = trimmed(text);
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return false;
  const double seconds = value * unit_s;
  if (!(std::abs(seconds) <= kLongestSeconds)) return false;
  out = std::chrono::nanoseconds(std::llround(seconds * 1e9));
  return true;
}

bool parse_timestamp(std::string_view text, std::chrono::nanoseconds& out) {
  text = trimmed(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  int zone = 0;
  const bool read =
      fixed_digits(text, 4, year) && expect(text, "-") && fixed_digits(text, 2, month) &&
      expect(text, "-") && fixed_digits(text, 2, day) && expect(text, " T") &&
      fixed_digits(text, 2, hour) && expect(text, ":") && fixed_digits(text, 2, minute) &&
      expect(text, ":") && fixed_digits(text, 2, second) && read_fraction(text, fraction) &&
      read_zone(text, zone);
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  constexpr int kFirstYear = 1970;  // Nanoseconds since 1970 end in 2262.
  constexpr int kLastYear = 2200;
  if (!read || !date.ok() || year < kFirstYear || year > kLastYear) return false;
  if (hour > 23 || minute > 59 || second > 60) return false;
  out = std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours(hour) +
        std::chrono::minutes(minute - zone) + std::chrono::seconds(second) +
        std::chrono::nanoseconds(fraction);
  return true;
}

void split_cells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

CsvColumns::CsvColumns(std::string_view header) {
  constexpr std::string_view kByteOrderMark("\xef\xbb\xbf", 3);
  if (header.substr(0, 3) == kByteOrderMark) header.remove_prefix(3);
  std::vector<std::string_view> cells;
  split_cells(header, cells);
  for (const std::string_view cell : cells) names_.emplace_back(trimmed(cell));
}

int CsvColumns::find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return static_cast<int>(i);
  }
  return -1;
}

int CsvColumns::need(std::string_view name, Diagnostics& faults) const {
  const int index = find(name);
  if (index >= 0) return index;
  Diagnostic fault;
  fault.message = fmt::format("no column \"{}\"", name);
  fault.nearest = nearest_name(name, names_);
  fault.allowed = fmt::format("{}", fmt::join(names_, ", "));
  if (fault.allowed.size() > 200) fault.allowed = fault.allowed.substr(0, 200) + "...";
  faults.push_back(std::move(fault));
  return -1;
}

bool has_columns(std::string_view header, std::initializer_list<std::string_view> names) {
  const CsvColumns columns(header);
  for (const std::string_view name : names) {
    if (columns.find(name) < 0) return false;
  }
  return true;
}

}  // namespace orrery::traces
