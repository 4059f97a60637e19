#pragma once
// The schema and scenarios as text, from the same field options that the loader applies.

#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery::config {
class Scenario;
}

namespace orrery::scenarios {

/// Reference of the fields at and below a dotted path (empty: all).
Result<std::string> describe_schema(std::string_view path);

/// The scenario as YAML with every default filled in; comments tell defaults, and which of them
/// nobody measured. Loading it gives the same scenario.
std::string resolved_yaml(const config::Scenario& scenario);

/// Text that is equal for scenarios that mean the same, whatever their files look like: all fields
/// with their values, without name and description. Hashed for the run's id.
std::string canonical_text(const config::Scenario& scenario);

/// The reference page docs/scenario.md.
std::string schema_markdown();

/// JSON Schema (2020-12) for editors.
std::string json_schema();

}  // namespace orrery::scenarios
