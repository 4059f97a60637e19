#pragma once
// IterationCost from a table of one whole model on one device, measured layer by layer inside an
// engine.

#include <memory>

#include "models/cost/cost_sources.hpp"
#include "models/cost/profile.hpp"

namespace orrery::models {

Result<std::unique_ptr<IterationCost>> make_layer_table_cost(const CostRequest& request,
                                                             const Profile& profile);

}  // namespace orrery::models
