#pragma once
// How each family of models is read from its configuration.

#include <span>
#include <string_view>

#include "models/architecture/architecture.hpp"
#include "models/architecture/config_reader.hpp"

namespace orrery::models::detail {

struct FamilyEntry {
  std::string_view name;  ///< `model_type`.
  std::string_view help;
  void (*read)(ConfigReader& config, Architecture& architecture) = nullptr;
};

std::span<const FamilyEntry> families();

}  // namespace orrery::models::detail
