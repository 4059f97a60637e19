#pragma once
// One function a policy; registry.cpp lists them in order.

#include "sim/serving/router.hpp"

namespace orrery::sim {

RouterEntry round_robin_entry();
RouterEntry random_entry();
RouterEntry least_outstanding_entry();
RouterEntry power_of_two_entry();

}  // namespace orrery::sim
