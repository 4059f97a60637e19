#include <array>

#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {

std::span<const SchedulerEntry> schedulers() {
  static const std::array entries{static_entry(), orca_entry(), vllm_v0_entry(), vllm_entry(),
                                  sarathi_entry()};
  return entries;
}

}  // namespace orrery::sim
