#pragma once
// What `orrery run` shows at its end: for people, and as the one JSON object for programs.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/observer.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::cli {

/// What was simulated, in lines of a name and a value: model, devices, scheduler, requests.
std::string describe_run(const config::Scenario& scenario, bool colour);

/// The metrics in groups, distributions as one table. Metrics that no group knows come last, so
/// nothing is left out.
std::string metrics_text(std::span<const sim::Metric> metrics, std::size_t width, bool colour);

/// The notes as a list, wrapped to `width` (0: 100).
std::string notes_text(std::span<const std::string> notes, std::size_t width, bool colour);

struct RunJson {
  std::string_view run_id;
  std::string_view scenario;
  std::string_view kind;
  std::span<const sim::Metric> metrics;
  std::span<const std::string> notes;
};
/// The object of `--json`, one line with its end. A metric that is not a finite number is null, and
/// a note says so.
std::string run_json(const RunJson& run);

}  // namespace orrery::cli
