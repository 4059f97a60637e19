#include "cli/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/quantity.hpp"

namespace orrery::cli {

std::string grouped(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string rounded(double value) {
  constexpr double kWholeFrom = 1000.0;  // No decimals from here on.
  constexpr double kBeyondGrouping = 1e15;
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  if (size >= kBeyondGrouping) return fmt::format("{:.4g}", value);
  if (size >= kWholeFrom) return grouped(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::string metric_text(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  if (unit == "s") return humanize(value, Dimension::kDuration);
  if (unit == "bytes") return humanize(value, Dimension::kBytes);
  if (unit == "1") return fmt::format("{} %", rounded(100.0 * value));
  if (unit == "count") return rounded(value);
  if (unit == "1/s") return fmt::format("{} /s", rounded(value));
  if (unit == "USD") return fmt::format("${}", rounded(value));
  return fmt::format("{} {}", rounded(value), unit);
}

}  // namespace orrery::cli
