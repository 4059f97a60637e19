#pragma once
// How well a table predicts what was left out of it: the spread that its prices carry.

#include <cstddef>

#include "models/cost/profile.hpp"

namespace orrery::calibration {

/// Absolute relative errors of predictions for held-out points, and of the nearest neighbour's
/// value for the same points.
struct HoldOut {
  std::size_t points = 0;
  double median = 0.0;
  double p90 = 0.0;
  double nearest_median = 0.0;
  double nearest_p90 = 0.0;
};

/// Leaves out every seventh size of each curve (interior ones), and for matrix products every
/// seventh shape (n, k) as a whole as well; predicts them from the rest.
HoldOut hold_out(const models::ProfileTable& table);

/// The relative standard deviation that the held-out errors suggest: 1.4826 times their median,
/// which is that of a normal distribution and is not moved by a few outliers.
double estimate_spread(const models::ProfileTable& table);

}  // namespace orrery::calibration
