#pragma once
// Numbers with units as people write them: "80GiB", "400Gbps", "10ms", "1.5 TB/s", "300 TFLOP/s".
// One home for parsing and for printing; the scenario loader, `--set` and reports use it.

#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery {

/// What a number measures, and so which suffixes it may carry. The base unit is in brackets.
enum class Dimension {
  kNone,       ///< Plain number; suffixes k, M, G, T (powers of 1000) are accepted.
  kFraction,   ///< Plain number or percentage: "0.9", "90%" [1].
  kDuration,   ///< ns, us, ms, s, min, h, d [seconds].
  kBytes,      ///< B, kB, MB, GB, TB and KiB, MiB, GiB, TiB [bytes].
  kBandwidth,  ///< bytes per second: B/s, GB/s, GiB/s ...; bits: bps, Gbps, Gbit/s ... [bytes/s].
  kFlops,      ///< FLOP/s with SI prefix: "989TFLOP/s", "989TFLOPS" [FLOP/s].
  kRate,       ///< per second: "5/s", "300/min", "req/s" [1/s].
  kMoney,      ///< US dollars, "$" prefix accepted [USD].
  kPower,      ///< W, kW [watts].
};

/// Parses `text` into the dimension's base unit. A bare number is in the base unit. The fault
/// names what was found, the accepted suffixes and, for a wrong suffix, the nearest one.
/// NaN and infinities are refused.
Result<double> parse_quantity(std::string_view text, Dimension dimension);

/// The shortest exact text that parse_quantity reads back: 0.01 s -> "10ms", 85899345920 ->
/// "80GiB".
std::string format_quantity(double value, Dimension dimension);

/// Human reading with about four significant digits, e.g. "1.234 ms", "79.6 GiB", "45.3 Gbit/s".
std::string humanize(double value, Dimension dimension);

/// The suffixes that a dimension accepts, for messages and documentation: "ns, us, ms, s, min, h,
/// d".
std::string_view accepted_units(Dimension dimension);

}  // namespace orrery
