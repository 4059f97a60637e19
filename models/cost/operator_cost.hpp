#pragma once
// IterationCost from operators: each operator of a model is priced by a device's measured profile
// where it has the shape, else by roofline.

#include <memory>

#include "models/cost/cost_sources.hpp"
#include "models/cost/profile.hpp"

namespace orrery::models {

/// `profile` may be null: everything by roofline.
Result<std::unique_ptr<IterationCost>> make_operator_cost(const CostRequest& request,
                                                          const Profile* profile);

}  // namespace orrery::models
