#pragma once
// Where the data that ship with Orrery lie: GPU catalogue, model configurations, profiles, sample
// traces, example scenarios. The root has the layout of the source tree in both cases, so a file
// has one name: `traces/samples/azure-conv.csv.zst`, `calibration/profiles/...`.

#include <filesystem>
#include <string_view>

namespace orrery {

/// The first of: $ORRERY_DATA, `../share/orrery` beside the running binary, the source tree that
/// this binary was built from. Found once; the path may not exist if all three are missing.
const std::filesystem::path& shipped_data_root();

/// `relative` under the root.
std::filesystem::path shipped_data(std::string_view relative);

}  // namespace orrery
