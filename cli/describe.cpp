// orrery describe: what scenarios can name, and what a scenario means.

#include "cli/describe.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "models/registry.hpp"

namespace orrery::cli {
namespace {

const CommandSpec& spec() {
  static const CommandSpec kSpec = {
      "orrery describe scenario|model|device|metric|policy|profile [NAME]",
      "Lists what scenarios can name, or describes one of them with the source of every figure. "
      "With scenario: NAME is a scenario file or a shipped scenario, printed with every default "
      "filled in; without NAME the fields of scenarios are described.",
      {{"set", "PATH=VALUE", "With scenario NAME: change a field first; may be repeated.", true},
       {"list", "", "With scenario: list the scenarios that ship with Orrery."},
       {"json-schema", "", "With scenario: print a JSON Schema for editors."}},
      {"what", "name"},
      false,
      {"orrery describe device", "orrery describe model llama-3.1-8b",
       "orrery describe scenario --list", "orrery describe scenario azure-conv-llama3-8b-h100",
       "orrery describe scenario --json-schema > scenario.schema.json"}};
  return kSpec;
}

struct Kind {
  std::string_view name;
  std::string_view help;
  int (*describe)(const std::string& name);
};
constexpr std::array kKinds = {
    Kind{"model", "Built-in language models", describe_model},
    Kind{"device", "GPUs of the catalogue", describe_device},
    Kind{"metric", "Names of results and what they mean", describe_metric},
    Kind{"policy", "Schedulers, routers and other rules", describe_policy},
    Kind{"profile", "Measured kernel times that ship with Orrery", describe_profile},
};

int list_kinds() {
  std::string out =
      "orrery describe scenario    Fields of scenarios, and shipped scenarios (--list)\n";
  for (const Kind& kind : kKinds) {
    out += fmt::format("orrery describe {:<11} {}\n", kind.name, kind.help);
  }
  print(out);
  return finish_output(kSuccess);
}

}  // namespace

int unknown_name(std::string_view kind, const std::string& name,
                 const std::vector<std::string>& names) {
  Diagnostic fault;
  fault.message =
      fmt::format("there is no {0} \"{1}\"; `orrery describe {0}` lists them", kind, name);
  fault.nearest = nearest_name(name, names);
  return report_faults({fault});
}

std::string description_line(std::string_view name, std::string_view value) {
  constexpr std::size_t kNameColumns = 22;
  const std::size_t terminal = terminal_width(stdout);
  const std::string indent(kNameColumns + 2, ' ');
  const std::size_t width = terminal > kNameColumns + 20 ? terminal : 0;
  return fmt::format("{:<{}}  {}\n", name, kNameColumns, wrapped(printable(value), width, indent));
}

int describe_command(const std::vector<std::string>& arguments) {
  int code = kSuccess;
  const auto parsed = parse_or_explain(spec(), arguments, code);
  if (!parsed) return code;
  const std::string what = parsed->value("what");
  if (what.empty()) return list_kinds();
  if (what == "scenario") return describe_scenario(*parsed);
  for (const std::string_view option : {"set", "list", "json-schema"}) {
    if (parsed->has(option)) return report_fault(fmt::format("--{} needs scenario", option));
  }
  const Kind* kind = find_entry(std::span<const Kind>(kKinds), what);
  // People write "devices" as often as "device".
  if (kind == nullptr && what.size() > 1 && what.back() == 's') {
    kind = find_entry(std::span<const Kind>(kKinds),
                      std::string_view(what).substr(0, what.size() - 1));
  }
  if (kind != nullptr) return kind->describe(parsed->value("name"));
  Diagnostic fault;
  fault.message = fmt::format("cannot describe \"{}\"", what);
  auto names = entry_names(std::span<const Kind>(kKinds));
  names.insert(names.begin(), "scenario");
  fault.nearest = nearest_name(what, names);
  fault.allowed = fmt::format("{}", fmt::join(names, ", "));
  return report_faults({fault});
}

}  // namespace orrery::cli
