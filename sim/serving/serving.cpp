#include "sim/serving/serving.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenarios/scenario.pb.h"
#include "sim/core/check.hpp"
#include "sim/serving/fleet.hpp"
#include "sim/serving/setup.hpp"
#include "traces/transform.hpp"

namespace orrery::sim {
namespace {

std::vector<std::unique_ptr<ServingNode>> make_replicas(const config::Scenario& scenario,
                                                        ServingSetup& setup, Engine& engine,
                                                        ServingMetrics& metrics, Observer& observer,
                                                        Fleet& fleet) {
  std::vector<std::unique_ptr<ServingNode>> nodes;
  nodes.reserve(static_cast<std::size_t>(scenario.serving().replicas()));
  for (std::int32_t i = 0; i < scenario.serving().replicas(); ++i) {
    nodes.push_back(std::make_unique<Replica>(
        i, setup.replica, setup.scheduler->make(scenario.serving(), setup.watermark), *setup.cost,
        engine, metrics, observer, fleet));
  }
  return nodes;
}

void add_closing_notes(const ServingSetup& setup, const ServingMetrics& metrics,
                       RunSummary& summary) {
  if (metrics.iterations() > 0) {
    summary.notes.push_back(fmt::format(
        "Prices of iterations carry a relative spread of {:.1f} % (mean over device time).",
        100.0 * metrics.mean_spread()));
  }
  if (metrics.rejected_requests() > 0) {
    summary.notes.push_back(
        fmt::format("{} requests were rejected: longer than {} tokens{}.",
                    metrics.rejected_requests(), setup.replica.longest_request,
                    setup.replica.max_queue > 0 ? ", or the queue was full" : ""));
  }
}

}  // namespace

Result<RunSummary> simulate_serving(const config::Scenario& scenario, Observer& observer) {
  if (!scenario.has_workload()) {
    Diagnostic fault;
    fault.field = "workload";
    fault.message = "missing; a serving scenario needs requests";
    fault.allowed = "a mapping with trace or generate";
    return fault;
  }
  Result<ServingSetup> prepared = prepare_serving(scenario);
  if (!prepared) return std::move(prepared).faults();
  ServingSetup setup = *std::move(prepared);
  Result<std::unique_ptr<traces::RequestSource>> source =
      traces::make_source(scenario.workload(), scenario.seed());
  if (!source) return std::move(source).faults();

  Engine engine;
  ServingMetrics metrics(setup.objectives);
  Fleet fleet(engine, **source, setup.router->make(scenario.serving().router(), scenario.seed()));
  fleet.add_nodes(make_replicas(scenario, setup, engine, metrics, observer, fleet));
  const Fleet::End end = fleet.run(observer);
  if (end == Fleet::End::kBadTrace) return (*source)->faults();
  if (end == Fleet::End::kTooLong) {
    Diagnostic fault;
    fault.message =
        "the run lasts more than 100 simulated years: arrivals are too rare or iterations too long";
    return fault;
  }
  ORRERY_CHECK(end == Fleet::End::kCancelled || metrics.finished_requests() == fleet.arrived());

  RunSummary summary;
  summary.cancelled = end == Fleet::End::kCancelled;
  summary.notes = std::move(setup.notes);
  summary.metrics = metrics.summary(setup.fleet);
  summary.metrics.push_back({"sim.events", static_cast<double>(engine.events_handled()), "count"});
  add_closing_notes(setup, metrics, summary);
  for (std::string& note : (*source)->notes()) summary.notes.push_back(std::move(note));
  return summary;
}

}  // namespace orrery::sim
