#pragma once
// The one entry to all simulators: picks the kind of the scenario and runs it.

#include "models/result.hpp"
#include "sim/core/observer.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::sim {

/// Runs the scenario to its end (or until the observer cancels). Faults are of input: a trace that
/// cannot be read, a model that does not fit, names that nothing is registered under.
Result<RunSummary> simulate(const config::Scenario& scenario, Observer& observer);

}  // namespace orrery::sim
