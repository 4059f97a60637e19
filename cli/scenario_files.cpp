#include "cli/scenario_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "models/architecture/config_json.hpp"
#include "models/cost/cost_sources.hpp"
#include "models/data_type.hpp"
#include "models/devices/device.hpp"
#include "models/registry.hpp"
#include "models/shipped_data.hpp"
#include "sim/catalogue.hpp"
#include "traces/transform.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

scenarios::Vocabularies gather() {
  scenarios::Vocabularies out;
  out["device"] = models::device_names();
  out["model"] = models::builtin_models();
  out["dtype"] = models::data_type_names();
  out["trace_sample"] = traces::sample_names();
  out["trace_format"] = traces::format_names();
  out["profile"] = {"auto", "roofline"};
  for (const models::ProfileInfo& profile : models::shipped_profiles()) {
    out["profile"].push_back(profile.name);
  }
  for (const sim::PolicyInfo& policy : sim::policies()) {
    out[std::string(policy.vocabulary)].emplace_back(policy.name);
  }
  return out;
}

bool looks_like_path(const std::string& text) {
  return text.find('/') != text.npos || fs::path(text).extension() == ".yaml" ||
         fs::path(text).extension() == ".yml";
}

}  // namespace

const scenarios::Vocabularies& vocabularies() {
  static const scenarios::Vocabularies all = gather();
  return all;
}

std::vector<ShippedScenario> shipped_scenarios() {
  std::vector<ShippedScenario> out;
  std::error_code error;
  for (const auto& entry :
       fs::recursive_directory_iterator(shipped_data("scenarios/examples"), error)) {
    if (entry.path().extension() != ".yaml") continue;
    out.push_back({entry.path().stem().string(), entry.path().string()});
  }
  std::sort(out.begin(), out.end(),
            [](const ShippedScenario& a, const ShippedScenario& b) { return a.name < b.name; });
  return out;
}

Result<config::Scenario> load_named_scenario(const std::string& argument,
                                             const std::vector<std::string>& sets) {
  std::error_code error;
  if (fs::exists(argument, error) || looks_like_path(argument)) {
    return scenarios::load_scenario(argument, sets, vocabularies());
  }
  std::vector<std::string> names;
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    if (shipped.name == argument) {
      return scenarios::load_scenario(shipped.path, sets, vocabularies());
    }
    names.push_back(shipped.name);
  }
  Diagnostic fault;
  fault.message = fmt::format(
      "there is no file \"{0}\" and no shipped scenario of that name; `orrery describe scenario "
      "--list` lists them",
      argument);
  fault.nearest = nearest_name(argument, names);
  return fault;
}

}  // namespace orrery::cli
