#pragma once
// An option that a policy does not use is refused, so that no setting is silently without effect.

#include <span>

#include "models/result.hpp"
#include "sim/serving/scheduler.hpp"

namespace orrery::sim {

/// A fault for each field of `serving` that is set and belongs to other schedulers of `all` but not
/// to `chosen`; the fault names the policies that use it.
Diagnostics unused_options(const config::Serving& serving, const SchedulerEntry& chosen,
                           std::span<const SchedulerEntry> all);

}  // namespace orrery::sim
