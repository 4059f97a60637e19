#pragma once
// What the simulators register, in one place for messages, `orrery describe` and documentation.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::sim {

/// A policy that a scenario can name.
struct PolicyInfo {
  std::string_view vocabulary;  ///< The schema's vocabulary it belongs to: scheduler, router, ...
  std::string_view name;
  std::string_view help;                  ///< One sentence: the rule.
  std::string_view source;                ///< Engine and version or paper that the rule comes from.
  std::vector<std::string_view> options;  ///< Schema fields of its message that it uses.
};
/// All policies, by vocabulary, in the registries' order.
std::span<const PolicyInfo> policies();

/// A metric of the contract.
struct MetricInfo {
  std::string_view name;  ///< A distribution is listed once, as `ttft_s.*`.
  std::string_view unit;
  std::string_view help;
};
/// All metrics of all kinds, in the order in which they are reported.
std::span<const MetricInfo> metrics();

}  // namespace orrery::sim
