#pragma once
// From YAML to the schema's messages. One reflection-driven binder reads the field options of the
// .proto (unit, range, required, vocabulary), so that a new field needs no code here. Every fault
// of a file is reported at once, with its place.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/result.hpp"

namespace orrery::config {
class Scenario;
}
namespace google::protobuf {
class Message;
}

namespace orrery::scenarios {

/// Names that a field may take, by the `vocabulary` of its options. The caller fills it from the
/// registries: this folder knows no simulator.
using Vocabularies = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Loads a scenario file and applies `overrides`, each `path.to.field=value`; an empty value or
/// `null` unsets. Without a name, the scenario gets the file's.
Result<config::Scenario> load_scenario(const std::filesystem::path& path,
                                       std::span<const std::string> overrides,
                                       const Vocabularies& vocabularies);

/// The same from text; `display_name` stands in messages, `folder` resolves relative paths.
Result<config::Scenario> parse_scenario(std::string_view text, const std::string& display_name,
                                        const std::filesystem::path& folder,
                                        std::span<const std::string> overrides,
                                        const Vocabularies& vocabularies);

/// Any message of the schema's style. `message` holds what could be read, also when there are
/// faults.
Diagnostics bind_yaml(std::string_view text, const std::string& display_name,
                      const std::filesystem::path& folder, std::span<const std::string> overrides,
                      const Vocabularies& vocabularies, google::protobuf::Message& message);

}  // namespace orrery::scenarios
