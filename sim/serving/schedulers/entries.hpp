#pragma once
// One function a policy; registry.cpp lists them in order.

#include "sim/serving/scheduler.hpp"

namespace orrery::sim {

SchedulerEntry static_entry();
SchedulerEntry orca_entry();
SchedulerEntry vllm_v0_entry();
SchedulerEntry vllm_entry();
SchedulerEntry sarathi_entry();

}  // namespace orrery::sim
