#include <fmt/format.h>

#include <array>
#include <exception>
#include <new>

#include "analysis/store/sqlite.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "models/registry.hpp"

namespace orrery::cli {
namespace {

constexpr std::array kCommands = {
    Command{"run", "Simulate a scenario, show a summary and keep the results", run_command},
    Command{"query", "Answer questions from the database of results", query_command},
    Command{"describe", "Show scenarios, models, devices, metrics, policies and profiles",
            describe_command},
    Command{"trace", "Look into, convert and generate request traces", trace_command},
};

void print_overview() {
  const bool colour = use_colour(stdout);
  std::string out = fmt::format(
      "Orrery {} simulates GPU clusters that serve language models: latencies, throughput and\n"
      "cost of a model on a device under a request trace, from measured kernel times.\n\n"
      "{} orrery COMMAND [arguments]\n\n",
      ORRERY_VERSION, bold("Usage:", colour));
  for (const Command& command : kCommands) {
    out += fmt::format("  {:<10} {}\n", command.name, command.help);
  }
  out += fmt::format(
      "\n{}\n"
      "  orrery describe scenario --list          the scenarios that ship with Orrery\n"
      "  orrery run azure-conv-llama3-8b-h100     run one of them\n"
      "  orrery query requests_slowest            ask about the last run\n"
      "  orrery COMMAND --help                    options and examples of a command\n",
      bold("Start here:", colour));
  print(out);
}

int unknown_command(const std::string& name) {
  Diagnostic fault;
  fault.message = fmt::format("there is no command \"{}\"; `orrery --help` lists them", name);
  fault.nearest = nearest_name(name, entry_names(commands()));
  return report_faults({fault});
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    if (arguments.size() > 1 && arguments[0] == "help") return dispatch({arguments[1], "--help"});
    print_overview();
    return finish_output(kSuccess);
  }
  if (arguments[0] == "--version" || arguments[0] == "version") {
    print(fmt::format("orrery {}\n", ORRERY_VERSION));
    return finish_output(kSuccess);
  }
  const Command* command = find_entry(commands(), arguments[0]);
  if (command == nullptr) return unknown_command(arguments[0]);
  try {
    return command->run({arguments.begin() + 1, arguments.end()});
  } catch (const analysis::StoreFailure& failure) {
    std::fflush(stdout);
    fmt::print(stderr, "orrery: {}\n", printable(failure.what()));
    return interrupted() ? kInterrupted : kRunFailed;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "orrery: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "orrery: {}\n", printable(error.what()));
  }
  return kRunFailed;
}

}  // namespace orrery::cli
