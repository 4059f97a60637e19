#pragma once
// The parts of `orrery describe`: one function a kind of thing. Each lists all when the name is
// empty and gives an exit code.

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace orrery::cli {

int describe_scenario(const Arguments& arguments);
int describe_model(const std::string& name);
int describe_device(const std::string& name);
int describe_metric(const std::string& name);
int describe_policy(const std::string& name);
int describe_profile(const std::string& name);

/// Prints the fault of a name that is not in `names`; gives kWrongInput.
int unknown_name(std::string_view kind, const std::string& name,
                 const std::vector<std::string>& names);

/// `name` padded, then `value` wrapped to the terminal: a line of a description.
std::string description_line(std::string_view name, std::string_view value);

}  // namespace orrery::cli
