#include "traces/readers/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "models/registry.hpp"

namespace orrery::traces {
namespace {

using std::chrono::nanoseconds;

constexpr double kLongestSeconds = 100.0 * 365.25 * 86400.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads exactly `digits` digits.
bool fixed_digits(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  out = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return false;
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

// ".6805900": what stands after the ninth digit is dropped.
bool read_fraction(std::string_view& text, std::int64_t& nanoseconds_out) {
  nanoseconds_out = 0;
  if (text.empty() || text.front() != '.') return true;
  text.remove_prefix(1);
  std::int64_t scale = 100'000'000;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    nanoseconds_out += (text[digits] - '0') * scale;
    scale /= 10;
    ++digits;
  }
  text.remove_prefix(digits);
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

// "123.456789" in units of 10^-places seconds, exactly; false for any other notation.
bool read_decimal(std::string_view text, int places, std::int64_t& nanoseconds_out) {
  constexpr std::array<std::int64_t, 10> kPowers{
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
  constexpr std::size_t kMostDigits = 18;  // Within int64.
  std::size_t used = 0;
  std::int64_t whole = 0;
  while (used < text.size() && is_digit(text[used])) {
    if (used == kMostDigits) return false;
    whole = whole * 10 + (text[used++] - '0');
  }
  if (used == 0) return false;
  std::int64_t fraction = 0;
  int left = 9 - places;  // Digits of the fraction that are at least a nanosecond.
  if (used < text.size() && text[used] == '.') {
    ++used;
    while (used < text.size() && is_digit(text[used])) {
      if (left > 0) {
        fraction = fraction * 10 + (text[used] - '0');
        --left;
      }
      ++used;
    }
  }
  if (used != text.size()) return false;
  const std::int64_t scale = kPowers[static_cast<std::size_t>(9 - places)];
  constexpr std::int64_t kLongest = static_cast<std::int64_t>(kLongestSeconds) * 1'000'000'000;
  if (whole > kLongest / scale) return false;
  nanoseconds_out = whole * scale + fraction * kPowers[static_cast<std::size_t>(left)];
  return nanoseconds_out <= kLongest;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return text.size() > kLongest ? out + "..." : out;
}

std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::int64_t session_id(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return -1;
  std::int64_t number = 0;
  if (parse_whole(text, number)) return std::max<std::int64_t>(number, -1);
  return static_cast<std::int64_t>(text_hash(text) >> 1U);
}

bool parse_whole(std::string_view text, std::int64_t& out) {
  constexpr std::size_t kFewDigits = 18;  // Within int64.
  if (!text.empty() && text.size() <= kFewDigits) {
    std::int64_t value = 0;
    std::size_t used = 0;
    while (used < text.size() && is_digit(text[used])) value = value * 10 + (text[used++] - '0');
    if (used == text.size()) {
      out = value;
      return true;
    }
  }
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

TimeUnit::TimeUnit(double seconds) : seconds_(seconds) {
  double power = 1.0;
  for (int places = 0; places <= 9; ++places) {
    // The two ways that such a unit comes about: written out, or divided.
    if (seconds == 1.0 / power) decimal_places_ = places;
    power *= 10.0;
  }
}

bool TimeUnit::parse(std::string_view text, nanoseconds& out) const {
  text = trimmed(text);
  std::int64_t exact = 0;
  if (decimal_places_ >= 0 && read_decimal(text, decimal_places_, exact)) {
    out = nanoseconds(exact);
    return true;
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return false;
  const double seconds = value * seconds_;
  if (!(seconds >= 0.0 && seconds <= kLongestSeconds)) return false;
  out = nanoseconds(std::llround(seconds * 1e9));
  return true;
}

bool TimestampParser::read_day(std::string_view text) {
  if (day_known_ && std::memcmp(text.data(), day_text_.data(), kDayLength) == 0) return true;
  std::string_view rest = text.substr(0, kDayLength);
  int year = 0;
  int month = 0;
  int day = 0;
  if (!fixed_digits(rest, 4, year) || !expect(rest, "-") || !fixed_digits(rest, 2, month) ||
      !expect(rest, "-") || !fixed_digits(rest, 2, day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  constexpr int kFirstYear = 1970;  // Nanoseconds since 1970 end in 2262.
  constexpr int kLastYear = 2200;
  if (!date.ok() || year < kFirstYear || year > kLastYear) return false;
  day_ = std::chrono::sys_days{date}.time_since_epoch();
  std::copy_n(text.data(), kDayLength, day_text_.data());
  day_known_ = true;
  return true;
}

bool TimestampParser::parse(std::string_view text, nanoseconds& out) {
  text = trimmed(text);
  if (text.size() < kDayLength || !read_day(text)) return false;
  text.remove_prefix(kDayLength);
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  int zone = 0;
  if (!expect(text, " T") || !fixed_digits(text, 2, hour) || !expect(text, ":") ||
      !fixed_digits(text, 2, minute) || !expect(text, ":") || !fixed_digits(text, 2, second) ||
      !read_fraction(text, fraction) || !read_zone(text, zone)) {
    return false;
  }
  if (hour > 23 || minute > 59 || second > 60) return false;
  out = day_ + std::chrono::hours(hour) + std::chrono::minutes(minute - zone) +
        std::chrono::seconds(second) + nanoseconds(fraction);
  return true;
}

CsvColumns::CsvColumns(std::string_view header) {
  for (;;) {
    const std::size_t comma = header.find(',');
    names_.emplace_back(trimmed(header.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    header.remove_prefix(comma + 1);
  }
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
  fault.message = fmt::format("no column \"{}\"", excerpt(name));
  constexpr std::size_t kMostShown = 12;
  const std::vector<std::string> some(
      names_.begin(),
      names_.begin() + static_cast<std::ptrdiff_t>(std::min(kMostShown, names_.size())));
  fault.nearest = nearest_name(name, some);
  for (const std::string& known : some) {
    fault.allowed += (fault.allowed.empty() ? "" : ", ") + excerpt(known);
  }
  if (names_.size() > some.size()) fault.allowed += ", ...";
  faults.push_back(std::move(fault));
  return -1;
}

bool has_columns(std::string_view header, std::initializer_list<std::string_view> names) {
  const CsvColumns columns(header);
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return columns.find(name) >= 0; });
}

}  // namespace orrery::traces
