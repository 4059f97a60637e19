// orrery describe metric, policy and profile: what the simulators and the shipped data register.

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/numbers.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/cost/cost_sources.hpp"
#include "sim/catalogue.hpp"

namespace orrery::cli {
namespace {

std::string_view unit_text(std::string_view unit) { return unit == "1" ? "share" : unit; }

// "ttft_s.*" covers "ttft_s", "ttft_s.p99", ...
bool covers(std::string_view pattern, std::string_view name) {
  if (pattern == name) return true;
  if (pattern.size() < 2 || pattern.substr(pattern.size() - 2) != ".*") return false;
  const std::string_view base = pattern.substr(0, pattern.size() - 2);
  return name == base ||
         (name.substr(0, base.size()) == base && name.substr(base.size(), 1) == ".");
}

void print_policy(const sim::PolicyInfo& policy) {
  std::string out = description_line("policy", policy.name);
  out += description_line("used in", policy.vocabulary);
  out += description_line("rule", policy.help);
  out += description_line("source", policy.source);
  out += description_line("options", policy.options.empty()
                                         ? "none"
                                         : fmt::format("{}", fmt::join(policy.options, ", ")));
  print(out);
}

}  // namespace

int describe_metric(const std::string& name) {
  const auto all = sim::metrics();
  const std::size_t width = terminal_width(stdout);
  if (name.empty()) {
    TextTable table({"metric", "unit", "meaning"});
    table.wrap_text();
    for (const sim::MetricInfo& metric : all) {
      table.add({std::string(metric.name), std::string(unit_text(metric.unit)),
                 std::string(metric.help)});
    }
    print(table.text(width, true, use_colour(stdout)));
    print("\n.* stands for mean, p50, p90, p95, p99 and max.\n");
    return finish_output(kSuccess);
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const sim::MetricInfo& metric) {
    return covers(metric.name, name);
  });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const sim::MetricInfo& metric : all) names.emplace_back(metric.name);
    return unknown_name("metric", name, names);
  }
  print(description_line("metric", found->name) + description_line("unit", unit_text(found->unit)) +
        description_line("meaning", found->help));
  return finish_output(kSuccess);
}

int describe_policy(const std::string& name) {
  const auto all = sim::policies();
  if (name.empty()) {
    TextTable table({"used in", "policy", "rule", "source"});
    table.wrap_text();
    for (const sim::PolicyInfo& policy : all) {
      table.add({std::string(policy.vocabulary), std::string(policy.name), std::string(policy.help),
                 std::string(policy.source)});
    }
    print(table.text(terminal_width(stdout), true, use_colour(stdout)));
    return finish_output(kSuccess);
  }
  std::vector<std::string> names;
  bool found = false;
  for (const sim::PolicyInfo& policy : all) {
    names.emplace_back(policy.name);
    if (policy.name != name) continue;
    if (found) print("\n");
    found = true;
    print_policy(policy);
  }
  return found ? finish_output(kSuccess) : unknown_name("policy", name, names);
}

int describe_profile(const std::string& name) {
  const auto all = models::shipped_profiles();
  if (name.empty()) {
    TextTable table({"profile", "device", "engine", "model", "points"});
    table.align(4, Align::kRight);
    for (const models::ProfileInfo& profile : all) {
      table.add({profile.name, profile.device, profile.engine,
                 profile.model.empty() ? "any" : profile.model,
                 grouped(static_cast<std::int64_t>(profile.points))});
    }
    print(table.text(terminal_width(stdout), true, use_colour(stdout)));
    print("\nA scenario's profile may also be roofline, auto or a file of one's own.\n");
    return finish_output(kSuccess);
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const models::ProfileInfo& profile) {
    return profile.name == name;
  });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const models::ProfileInfo& profile : all) names.push_back(profile.name);
    return unknown_name("profile", name, names);
  }
  std::string out = description_line("profile", found->name);
  out += description_line("measured on", found->device);
  out += description_line("engine", found->engine);
  out += description_line("model", found->model.empty() ? "any (single operators)" : found->model);
  if (!found->tensor_degrees.empty()) {
    out += description_line("tensor degrees",
                            fmt::format("{}", fmt::join(found->tensor_degrees, ", ")));
  }
  out += description_line("measured points", grouped(static_cast<std::int64_t>(found->points)));
  out += description_line("source", found->source);
  print(out);
  return finish_output(kSuccess);
}

}  // namespace orrery::cli
