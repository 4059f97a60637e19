#pragma once
// From a scenario to what a serving run needs: model, device, price of iterations, size of the KV
// cache. All that can be wrong with a scenario, apart from its requests, is found here, before
// anything runs.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/architecture/architecture.hpp"
#include "models/cost/iteration_cost.hpp"
#include "models/devices/device.hpp"
#include "models/memory/serving_memory.hpp"
#include "models/result.hpp"
#include "sim/serving/metrics.hpp"
#include "sim/serving/replica.hpp"
#include "sim/serving/router.hpp"
#include "sim/serving/scheduler.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::sim {

struct ServingSetup {
  models::Architecture architecture;
  models::Device device;
  models::ParallelLayout layout;
  models::ServingMemory memory;
  std::unique_ptr<models::IterationCost> cost;
  const SchedulerEntry* scheduler = nullptr;
  const RouterEntry* router = nullptr;
  double watermark = 0.0;
  ReplicaOptions replica;
  FleetFigures fleet;
  Objectives objectives;
  std::vector<std::string> notes;
};

/// Resolves everything, or names every fault. Requires a scenario of kind serving.
Result<ServingSetup> prepare_serving(const config::Scenario& scenario);

}  // namespace orrery::sim
