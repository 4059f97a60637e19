#pragma once
// Scenarios as people name them on the command line: a path, or the name of one that ships.

#include <string>
#include <vector>

#include "models/result.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::cli {

/// Every name that a scenario may use, gathered from the registries.
const scenarios::Vocabularies& vocabularies();

/// A scenario that ships with Orrery.
struct ShippedScenario {
  std::string name;  ///< File name without ending.
  std::string path;
};
/// In alphabetical order; empty when the shipped data are not found.
std::vector<ShippedScenario> shipped_scenarios();

/// Loads and resolves the scenario that `argument` names; `sets` are PATH=VALUE overrides. A file
/// of that name goes before a shipped scenario.
Result<config::Scenario> load_named_scenario(const std::string& argument,
                                             const std::vector<std::string>& sets);

}  // namespace orrery::cli
