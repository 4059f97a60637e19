#pragma once
// Simulated time: strong types over int64 nanoseconds. The range is 292 years. Doubles of seconds
// appear only where a model's price becomes a duration, always through to_duration().

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

namespace orrery::sim {

using Duration = std::chrono::duration<std::int64_t, std::nano>;

/// The clock of the simulated world; it starts at 0 and never runs by itself.
struct SimClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimClock, Duration>;
  static constexpr bool is_steady = true;
};
using SimTime = SimClock::time_point;

inline constexpr SimTime kTimeZero{};
inline constexpr SimTime kTimeNever = SimTime::max();

/// Seconds to the nearest nanosecond, ties to even; values beyond the range (and infinity)
/// saturate, NaN and negative values become zero.
inline Duration to_duration(double seconds) {
  if (!(seconds > 0.0)) return Duration::zero();
  const double nanoseconds = seconds * 1e9;
  if (nanoseconds >= 9.2e18) return Duration::max();
  return Duration{std::llrint(nanoseconds)};
}

constexpr double to_seconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}
constexpr double to_seconds(SimTime time) { return to_seconds(time.time_since_epoch()); }

}  // namespace orrery::sim
