#pragma once
// Numbers as people read them in a terminal.

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::cli {

/// 19366 -> "19,366".
std::string grouped(std::int64_t value);

/// About four significant digits, thousands grouped: 0.0123 -> "0.0123", 12345.6 -> "12,346".
std::string rounded(double value);

/// A metric in its unit, as in sim/catalogue.hpp: "s" -> "12.3 ms", "1" -> "45.6 %",
/// "count" -> "19,366", "bytes" -> "1.5 GiB", else the number and the unit. Not finite: "-".
std::string metric_text(double value, std::string_view unit);

}  // namespace orrery::cli
