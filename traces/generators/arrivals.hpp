#pragma once
// Laws of arrival times.

#include <memory>

#include "sim/core/random.hpp"

namespace orrery::config {
class Arrivals;
}

namespace orrery::traces {

class ArrivalLaw {
 public:
  virtual ~ArrivalLaw() = default;
  /// Seconds of the arrival after `now`.
  virtual double next(double now, sim::RandomStream& random) const = 0;
};

/// With the mean rate divided by `per_arrival` (several requests follow from one arrival).
std::unique_ptr<ArrivalLaw> make_arrival_law(const config::Arrivals& config, double per_arrival);

}  // namespace orrery::traces
