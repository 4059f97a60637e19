#include "models/cost/cost_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "models/cost/layer_table_cost.hpp"
#include "models/cost/operator_cost.hpp"
#include "models/cost/profile.hpp"
#include "models/registry.hpp"
#include "models/shipped_data.hpp"

namespace orrery::models {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfileFolder = "calibration/profiles";
constexpr const char* kExtension = ".orp";

fs::path shipped_path(const std::string& name) {
  return shipped_data(kProfileFolder) / (name + kExtension);
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path root = shipped_data(kProfileFolder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root, error)) {
    if (entry.path().extension() != kExtension) continue;
    names.push_back(fs::relative(entry.path(), root, error).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A whole-model table that was measured for exactly this device, model and degree, else an operator
// profile of the device, else none.
std::string automatic(const CostRequest& request) {
  std::string by_operator;
  for (const ProfileInfo& info : shipped_profiles()) {
    if (find_device(info.device) == nullptr ||
        find_device(info.device)->name != request.device->name) {
      continue;
    }
    if (info.model.empty()) {
      by_operator = info.name;
    } else if (info.model == request.architecture.name && request.layout.pipeline == 1 &&
               info.tensor_degrees.front() == request.layout.tensor &&
               request.weights_dtype == DataType::kBf16) {
      return info.name;
    }
  }
  return by_operator;
}

Diagnostics check_whole_model(const CostRequest& request, const ProfileHeader& header) {
  if (header.model.empty()) return {};
  if (header.model == request.architecture.name && header.tensor == request.layout.tensor)
    return {};
  Diagnostic fault;
  fault.field = "profile";
  fault.message = fmt::format(
      "profile {} was measured for {} at tensor degree {}, the scenario has {} "
      "at {}",
      header.name, header.model, header.tensor, request.architecture.name, request.layout.tensor);
  fault.allowed = "auto, roofline, or an operator profile";
  return {fault};
}

}  // namespace

Result<std::unique_ptr<IterationCost>> make_iteration_cost(const CostRequest& request) {
  std::string name = request.profile;
  if (name == "auto") name = automatic(request);
  if (name.empty() || name == "roofline") return make_operator_cost(request, nullptr);
  fs::path path = shipped_path(name);
  std::error_code error;
  if (!fs::exists(path, error)) path = name;
  if (!fs::exists(path, error)) {
    std::vector<std::string> known = shipped_names();
    Diagnostic fault;
    fault.field = "profile";
    fault.message = fmt::format("\"{}\" is neither a shipped profile nor a file", name);
    fault.nearest = nearest_name(name, known);
    known.insert(known.begin(), {"auto", "roofline"});
    fault.allowed = fmt::format("{}", fmt::join(known, ", "));
    return fault;
  }
  Result<Profile> profile = Profile::load(path);
  if (!profile) return std::move(profile).faults();
  Diagnostics mismatch = check_whole_model(request, profile->header());
  if (!mismatch.empty()) return mismatch;
  return profile->header().model.empty() ? make_operator_cost(request, &*profile)
                                         : make_layer_table_cost(request, *profile);
}

std::vector<ProfileInfo> shipped_profiles() {
  std::vector<ProfileInfo> infos;
  for (const std::string& name : shipped_names()) {
    Result<Profile> profile = Profile::load(shipped_path(name));
    if (!profile) continue;
    const ProfileHeader header = profile->header();
    ProfileInfo info{name, header.device, header.engine, header.source, header.model, {}, 0};
    if (header.tensor > 0) info.tensor_degrees.push_back(header.tensor);
    info.points = profile->points();
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace orrery::models
