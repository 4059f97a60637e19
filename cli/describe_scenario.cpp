#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/scenario_files.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "scenarios/describe.hpp"

namespace orrery::cli {
namespace {

// The first sentence of a description.
std::string first_sentence(const std::string& text) {
  const auto stop = text.find(". ");
  std::string sentence = stop == text.npos ? text : text.substr(0, stop + 1);
  while (!sentence.empty() && (sentence.back() == '\n' || sentence.back() == ' '))
    sentence.pop_back();
  for (char& c : sentence) {
    if (c == '\n') c = ' ';
  }
  return sentence;
}

int list_scenarios() {
  TextTable table({"scenario", "what it shows"});
  table.wrap_text();
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    const auto scenario = scenarios::load_scenario(shipped.path, {}, vocabularies());
    if (!scenario) {
      report_faults(scenario.faults());
      continue;
    }
    table.add({shipped.name, first_sentence(scenario->description())});
  }
  if (table.size() == 0) return report_fault("no shipped scenarios were found (see ORRERY_DATA)");
  print(table.text(terminal_width(stdout), true, use_colour(stdout)));
  print("\norrery run NAME simulates one, orrery describe scenario NAME shows it in full.\n");
  return finish_output(kSuccess);
}

// The reference of all fields, or of those at and below a path like serving.scheduler.
int show_schema(const std::string& path) {
  const auto text = scenarios::describe_schema(path);
  if (!text) return report_faults(text.faults());
  print(*text);
  return finish_output(kSuccess);
}

}  // namespace

int describe_scenario(const Arguments& arguments) {
  const std::string name = arguments.value("name");
  const bool list = arguments.has("list");
  const bool schema = arguments.has("json-schema");
  if (list && schema) return report_fault("give either --list or --json-schema, not both");
  if (!name.empty() && (list || schema)) {
    return report_fault(fmt::format("--{} takes no scenario", list ? "list" : "json-schema"));
  }
  if (name.empty() && arguments.has("set")) return report_fault("--set needs a scenario");
  if (list) return list_scenarios();
  if (schema) {
    print(scenarios::json_schema());
    return finish_output(kSuccess);
  }
  if (name.empty()) return show_schema("");
  // A path of fields ("serving.kv_cache") is described where no file or scenario has that name.
  const auto scenario = load_named_scenario(name, arguments.values("set"));
  if (scenario) {
    print(scenarios::resolved_yaml(*scenario));
    return finish_output(kSuccess);
  }
  if (!arguments.has("set") && scenarios::describe_schema(name).ok()) return show_schema(name);
  return report_faults(scenario.faults());
}

}  // namespace orrery::cli
