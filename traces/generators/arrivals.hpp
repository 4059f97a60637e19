#pragma once
// Laws of arrival times.

#include <memory>

#include "sim/core/random.hpp"

namespace orrery::config {
class Arrivals;
}

namespace orrery::traces {

/// One realisation of an arrival process.
class ArrivalLaw {
 public:
  virtual ~ArrivalLaw() = default;
  /// Seconds of the next arrival since the start; never falls. May be infinite or no number where
  /// the options are extreme: the caller checks.
  virtual double next(sim::RandomStream& random) = 0;
};

/// With the mean rate divided by `per_arrival` (several requests follow from one arrival).
/// - poisson, gamma: the first arrival comes after a first gap.
/// - deterministic: the k-th arrival is at exactly k / rate.
/// - diurnal: a Poisson process of rate r (1 + a sin(2 pi t / T)), exact by inversion: arrivals of
///   a homogeneous process are moved by warped(), so that the same seed gives the same k-th arrival
///   in even time whatever the swing.
/// - at_once: all at zero.
std::unique_ptr<ArrivalLaw> make_arrival_law(const config::Arrivals& config, double per_arrival);

}  // namespace orrery::traces
