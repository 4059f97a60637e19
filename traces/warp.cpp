#include "traces/warp.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery::traces {

double warped(double even, double amplitude, double period) {
  constexpr double kTwoPi = 2.0 * std::numbers::pi;
  constexpr double kMostPeriods = 1e15;  // Beyond, a double has no digits left for the phase.
  const double cycles = even / period;
  if (!(amplitude > 0.0) || !(cycles >= 0.0 && cycles < kMostPeriods)) return even;
  // Whole periods map to themselves; the rest is solved within one period by Newton's method, kept
  // between bounds that close in, since the slope 1 + a sin(2 pi x) may vanish.
  const double whole = std::floor(cycles);
  const double goal = cycles - whole;
  double low = 0.0;
  double high = goal;  // 1 - cos >= 0
  double x = goal;
  constexpr int kMostSteps = 64;
  constexpr double kGoodEnough = 1e-16;
  for (int step = 0; step < kMostSteps && high - low > kGoodEnough; ++step) {
    const double excess = x + amplitude / kTwoPi * (1.0 - std::cos(kTwoPi * x)) - goal;
    if (excess == 0.0) break;
    (excess > 0.0 ? high : low) = x;
    const double slope = 1.0 + amplitude * std::sin(kTwoPi * x);
    double better = slope > 0.0 ? x - excess / slope : low;
    if (!(better > low && better < high)) better = 0.5 * (low + high);
    if (std::abs(better - x) <= kGoodEnough) break;
    x = better;
  }
  return (whole + std::clamp(x, 0.0, goal)) * period;
}

}  // namespace orrery::traces
