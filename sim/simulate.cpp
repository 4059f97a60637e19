#include "sim/simulate.hpp"

#include "scenarios/scenario.pb.h"
#include "sim/serving/serving.hpp"

namespace orrery::sim {

Result<RunSummary> simulate(const config::Scenario& scenario, Observer& observer) {
  switch (scenario.kind()) {
    case config::serving:
      return simulate_serving(scenario, observer);
  }
  Diagnostic fault;
  fault.field = "kind";
  fault.message = "no simulator for this kind";
  return fault;
}

}  // namespace orrery::sim
