#pragma once
// Time that runs faster and slower in a sinusoid: for rates that swing by the hour of the day.

namespace orrery::traces {

/// The t that solves t + (aT / 2 pi)(1 - cos(2 pi t / T)) = even, for amplitude a in [0, 1] and
/// period T > 0. Events at rate r in even time have the rate r (1 + a sin(2 pi t / T)) in t, and
/// as many to a period. Never falls as `even` rises, up to rounding. Where a period is too short to
/// be told apart at the size of `even`, the answer is `even` itself.
double warped(double even, double amplitude, double period);

}  // namespace orrery::traces
