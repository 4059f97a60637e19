#pragma once
// Ranges of a workload's options. The scenario loader checks the same while it reads; whoever fills
// the messages otherwise is told here instead of being trusted.

#include "models/result.hpp"

namespace orrery::config {
class Workload;
}

namespace orrery::traces {

/// Every option out of its range, with its path (`workload.rate_scale`); empty when all is well.
Diagnostics check_workload(const config::Workload& workload);

}  // namespace orrery::traces
