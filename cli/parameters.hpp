#pragma once
// A scenario as the list of its fields, for the database's `parameter` table.

#include <vector>

#include "analysis/store/store.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::cli {

/// Every scalar field that is set or acts by its default, by its path as written in YAML, in the
/// schema's order; elements of lists get their position ("a.0"). Booleans are 0 and 1, enumerations
/// names.
std::vector<analysis::Parameter> flatten(const config::Scenario& scenario);

}  // namespace orrery::cli
