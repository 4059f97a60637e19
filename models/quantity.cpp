#include "models/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "models/registry.hpp"

namespace orrery {
namespace {

struct UnitName {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * 1024.0;
constexpr double kGibi = kMebi * 1024.0;
constexpr double kTebi = kGibi * 1024.0;
constexpr double kBit = 1.0 / 8.0;

// In each table the first name of a factor is the one that is printed.
constexpr std::array kPlain{UnitName{"", 1},    UnitName{"k", 1e3}, UnitName{"K", 1e3},
                            UnitName{"M", 1e6}, UnitName{"G", 1e9}, UnitName{"T", 1e12}};
constexpr std::array kFraction{UnitName{"", 1}, UnitName{"%", 0.01}};
constexpr std::array kDuration{UnitName{"s", 1},     UnitName{"ms", 1e-3}, UnitName{"us", 1e-6},
                               UnitName{"ns", 1e-9}, UnitName{"min", 60},  UnitName{"h", 3600},
                               UnitName{"d", 86400}, UnitName{"m", 60}};
constexpr std::array kBytes{UnitName{"B", 1},       UnitName{"KiB", kKibi}, UnitName{"MiB", kMebi},
                            UnitName{"GiB", kGibi}, UnitName{"TiB", kTebi}, UnitName{"kB", 1e3},
                            UnitName{"KB", 1e3},    UnitName{"MB", 1e6},    UnitName{"GB", 1e9},
                            UnitName{"TB", 1e12},   UnitName{"PB", 1e15}};
constexpr std::array kBandwidth{UnitName{"B/s", 1},
                                UnitName{"kB/s", 1e3},
                                UnitName{"MB/s", 1e6},
                                UnitName{"GB/s", 1e9},
                                UnitName{"TB/s", 1e12},
                                UnitName{"KiB/s", kKibi},
                                UnitName{"MiB/s", kMebi},
                                UnitName{"GiB/s", kGibi},
                                UnitName{"TiB/s", kTebi},
                                UnitName{"bps", kBit},
                                UnitName{"kbps", kBit * 1e3},
                                UnitName{"Mbps", kBit * 1e6},
                                UnitName{"Gbps", kBit * 1e9},
                                UnitName{"Tbps", kBit * 1e12},
                                UnitName{"Mbit/s", kBit * 1e6},
                                UnitName{"Gbit/s", kBit * 1e9},
                                UnitName{"Tbit/s", kBit * 1e12},
                                UnitName{"Gb/s", kBit * 1e9}};
constexpr std::array kFlops{
    UnitName{"FLOP/s", 1},     UnitName{"MFLOP/s", 1e6},  UnitName{"GFLOP/s", 1e9},
    UnitName{"TFLOP/s", 1e12}, UnitName{"PFLOP/s", 1e15}, UnitName{"EFLOP/s", 1e18},
    UnitName{"GFLOPS", 1e9},   UnitName{"TFLOPS", 1e12},  UnitName{"PFLOPS", 1e15}};
constexpr std::array kRate{UnitName{"/s", 1}, UnitName{"/min", 1.0 / 60.0},
                           UnitName{"/h", 1.0 / 3600.0}, UnitName{"req/s", 1}, UnitName{"rps", 1}};
constexpr std::array kMoney{UnitName{"USD", 1}, UnitName{"$", 1}};
constexpr std::array kPower{UnitName{"W", 1}, UnitName{"kW", 1e3}, UnitName{"MW", 1e6}};

std::span<const UnitName> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kNone:
      return kPlain;
    case Dimension::kFraction:
      return kFraction;
    case Dimension::kDuration:
      return kDuration;
    case Dimension::kBytes:
      return kBytes;
    case Dimension::kBandwidth:
      return kBandwidth;
    case Dimension::kFlops:
      return kFlops;
    case Dimension::kRate:
      return kRate;
    case Dimension::kMoney:
      return kMoney;
    case Dimension::kPower:
      return kPower;
  }
  return kPlain;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The number at the start, with '_' between digits as in 8_192; what follows stays in `text`.
bool read_number(std::string_view& text, double& value) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789+-.eE_"), text.size());
  std::size_t end = length;
  std::string digits;
  for (; end > 0; --end) {
    // "1e" of "1exa..." is no exponent: shorten until it reads as a number.
    digits.clear();
    for (const char c : text.substr(0, end)) {
      if (c != '_') digits += c;
    }
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const char* stop = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(begin, stop, value);
    if (error == std::errc::result_out_of_range && rest == stop) return false;
    if (error == std::errc{} && rest == stop) break;
  }
  if (end == 0) return false;
  text = trimmed(text.substr(end));
  return true;
}

Diagnostic bad_quantity(std::string_view text, Dimension dimension) {
  Diagnostic fault;
  fault.message = fmt::format("\"{}\" is no {}", text.substr(0, 60),
                              dimension == Dimension::kNone ? "number" : "number with a unit");
  const std::string_view units = accepted_units(dimension);
  fault.allowed =
      dimension == Dimension::kNone ? "a number" : fmt::format("a number with one of {}", units);
  return fault;
}

// People compare links and memories in powers of ten of bytes.
bool decimal_byte_rate(std::string_view name) {
  return name == "B/s" || (name.size() == 4 && name.substr(1) == "B/s");
}

// Writes with at most 17 digits so that reading gives the same number.
std::string shortest(double value) { return fmt::format("{}", value); }

}  // namespace

std::string_view accepted_units(Dimension dimension) {
  switch (dimension) {
    case Dimension::kNone:
      return "k, M, G, T";
    case Dimension::kFraction:
      return "%";
    case Dimension::kDuration:
      return "ns, us, ms, s, min, h, d";
    case Dimension::kBytes:
      return "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
    case Dimension::kBandwidth:
      return "B/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps";
    case Dimension::kFlops:
      return "GFLOP/s, TFLOP/s, PFLOP/s";
    case Dimension::kRate:
      return "/s, /min, /h";
    case Dimension::kMoney:
      return "USD";
    case Dimension::kPower:
      return "W, kW, MW";
  }
  return "";
}

Result<double> parse_quantity(std::string_view text, Dimension dimension) {
  std::string_view rest = trimmed(text);
  if (dimension == Dimension::kMoney && !rest.empty() && rest.front() == '$') {
    rest = trimmed(rest.substr(1));
  }
  double number = 0.0;
  if (!read_number(rest, number)) return bad_quantity(text, dimension);
  double factor = 0.0;
  std::vector<std::string> names;
  for (const UnitName& unit : units_of(dimension)) {
    if (unit.name == rest) factor = unit.factor;
    names.emplace_back(unit.name);
  }
  if (rest.empty()) factor = 1.0;
  if (factor == 0.0) {
    Diagnostic fault;
    fault.message =
        fmt::format("\"{}\" has the unknown unit \"{}\"", text.substr(0, 60), rest.substr(0, 20));
    fault.nearest = nearest_name(rest, names);
    fault.allowed = accepted_units(dimension);
    return fault;
  }
  // Dividing by 1000 rounds once, multiplying by its inverse twice: 10ms is exactly 0.01.
  const double inverse = 1.0 / factor;
  const bool exact_inverse = factor < 1.0 && std::round(inverse) == inverse;
  const double value = exact_inverse ? number / inverse : number * factor;
  if (!std::isfinite(value)) return bad_quantity(text, dimension);
  return value;
}

std::string format_quantity(double value, Dimension dimension) {
  if (dimension == Dimension::kFraction || dimension == Dimension::kMoney) return shortest(value);
  std::string best = shortest(value) + std::string(units_of(dimension).front().name);
  if (value == 0.0 || !std::isfinite(value)) return best;
  for (const UnitName& unit : units_of(dimension)) {
    const double scaled = value / unit.factor;
    if (std::abs(scaled) < 1.0 && unit.factor > 1.0) continue;
    const std::string text = shortest(scaled) + std::string(unit.name);
    if (text.size() >= best.size() || text.find('e') != std::string::npos) continue;
    const Result<double> again = parse_quantity(text, dimension);
    if (again && *again == value) best = text;
  }
  return best;
}

std::string humanize(double value, Dimension dimension) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (dimension == Dimension::kFraction) return fmt::format("{:.1f} %", value * 100.0);
  if (dimension == Dimension::kMoney) return fmt::format("{:.4g} USD", value);
  const bool binary = dimension == Dimension::kBytes;
  const UnitName* chosen = &units_of(dimension).front();
  for (const UnitName& unit : units_of(dimension)) {
    const bool other_kind = (binary && unit.factor > 1.0 && std::fmod(unit.factor, kKibi) != 0.0) ||
                            (dimension == Dimension::kBandwidth && !decimal_byte_rate(unit.name));
    if (other_kind || std::abs(value) < unit.factor) continue;
    const bool better = std::abs(value) < chosen->factor || unit.factor > chosen->factor;
    if (better && !(dimension == Dimension::kDuration && unit.factor > 1.0 && value < 120.0)) {
      chosen = &unit;
    }
  }
  if (dimension == Dimension::kDuration && value != 0.0 && std::abs(value) < 1.0) {
    // The largest unit below the value.
    for (const UnitName& unit : units_of(dimension)) {
      if (std::abs(value) >= unit.factor &&
          (std::abs(value) < chosen->factor || unit.factor > chosen->factor)) {
        chosen = &unit;
      }
    }
    if (std::abs(value) < 1e-9) chosen = &kDuration[3];
  }
  return fmt::format("{:.4g} {}", value / chosen->factor, chosen->name);
}

}  // namespace orrery
