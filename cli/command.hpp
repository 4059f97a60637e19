#pragma once
// A subcommand of the `orrery` binary: a name, one line of help, and a function that parses its own
// arguments, calls the library and prints. main.cpp holds the table of them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

/// Exit codes of the program.
enum ExitCode : int {
  kSuccess = 0,
  kRunFailed = 1,       ///< Something failed while working: disk full, database locked, internal.
  kWrongInput = 2,      ///< Arguments or files that have to be changed.
  kOutOfTolerance = 3,  ///< A validation or comparison missed its stated tolerance.
  kInterrupted = 130,   ///< Ctrl-C.
};

struct Command {
  std::string_view name;
  std::string_view help;  ///< One line, for the overview.
  int (*run)(const std::vector<std::string>& arguments);
};

/// All subcommands, in the order of the overview.
std::span<const Command> commands();

int run_command(const std::vector<std::string>& arguments);
int query_command(const std::vector<std::string>& arguments);
int describe_command(const std::vector<std::string>& arguments);
int trace_command(const std::vector<std::string>& arguments);

/// Finds the subcommand and runs it; prints the overview without one. `arguments` are those of
/// main() without the program's name.
int dispatch(const std::vector<std::string>& arguments);

}  // namespace orrery::cli
