#include <array>

#include "sim/serving/routers/entries.hpp"

namespace orrery::sim {

std::span<const RouterEntry> routers() {
  static const std::array entries{round_robin_entry(), random_entry(), least_outstanding_entry(),
                                  power_of_two_entry()};
  return entries;
}

}  // namespace orrery::sim
