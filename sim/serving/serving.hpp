#pragma once
// Autoregressive serving: runs a scenario of kind `serving`.

#include "models/result.hpp"
#include "sim/catalogue.hpp"
#include "sim/core/observer.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::sim {

/// Runs the scenario's workload on its fleet. Faults are of input.
Result<RunSummary> simulate_serving(const config::Scenario& scenario, Observer& observer);

/// Metrics that serving reports, in their order.
std::span<const MetricInfo> serving_metric_catalogue();

}  // namespace orrery::sim
