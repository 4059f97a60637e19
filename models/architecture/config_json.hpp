#pragma once
// Architectures from Hugging Face configuration files. Each family's rule (families.cpp) says which
// keys it reads and what holds where a key is absent, as the transformers library has it.

#include <string>
#include <string_view>
#include <vector>

#include "models/architecture/architecture.hpp"
#include "models/result.hpp"

namespace orrery::models {

/// Reads the text of a config.json. Unknown keys are ignored; what is missing, of the wrong type or
/// out of range is a fault that names the key and the place.
Result<Architecture> parse_config_json(std::string_view text, std::string_view display_name);

/// A built-in model by name, else a file, else a folder that holds config.json.
Result<Architecture> load_architecture(std::string_view name_or_path);

/// Names of the built-in models, in alphabetical order.
std::vector<std::string> builtin_models();
/// Families (`model_type`) that can be read.
std::vector<std::string> known_families();

}  // namespace orrery::models
