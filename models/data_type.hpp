#pragma once
// Names of number formats, as written in scenarios.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/architecture/architecture.hpp"

namespace orrery::models {

/// "bf16", "fp8", ...
std::string_view data_type_name(DataType type);
/// The type called `name`, also by its PyTorch name (bfloat16, float16, float32).
std::optional<DataType> data_type_named(std::string_view name);
/// Names in the order of the enumeration.
std::vector<std::string> data_type_names();

}  // namespace orrery::models
