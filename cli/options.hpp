#pragma once
// Arguments of a subcommand: Boost.Program_options behind one table a command, with `--help` made
// from that table and a nearest name for a mistyped option.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/result.hpp"

namespace orrery::cli {

/// One option. `value_name` empty: a switch.
struct OptionSpec {
  std::string_view name;  ///< Long name, optionally with a letter: "output,o".
  std::string_view value_name;
  std::string_view help;
  bool repeated = false;
};

/// Everything `--help` shows.
struct CommandSpec {
  std::string_view usage;  ///< "orrery run SCENARIO [options]"
  std::string_view help;   ///< A paragraph.
  std::vector<OptionSpec> options;
  std::vector<std::string_view> positional;  ///< Names, for messages; all optional to the parser.
  bool last_positional_repeats = false;
  std::vector<std::string_view> examples;
};

class Arguments {
 public:
  bool has(std::string_view name) const;
  /// The value given, or `fallback`.
  std::string value(std::string_view name, std::string_view fallback = {}) const;
  std::vector<std::string> values(std::string_view name) const;

 private:
  friend Result<Arguments> parse_arguments(const CommandSpec& spec,
                                           const std::vector<std::string>& arguments);
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

/// Parses; every option also may be given as `--name=value`. `--help` is always accepted.
Result<Arguments> parse_arguments(const CommandSpec& spec,
                                  const std::vector<std::string>& arguments);

/// The text of `--help`, wrapped to the terminal.
std::string help_text(const CommandSpec& spec);

/// Parses and handles what all commands share: prints help (success) or the faults (wrong input)
/// and then gives nothing, with the code to exit with in `exit_code`.
std::optional<Arguments> parse_or_explain(const CommandSpec& spec,
                                          const std::vector<std::string>& arguments,
                                          int& exit_code);

/// Prints each fault on stderr, `orrery: ` before it; gives kWrongInput.
int report_faults(const Diagnostics& faults);
int report_fault(std::string message);

/// Writes to stdout; a closed pipe or a full disk behind it is an error with a message.
void print(std::string_view text);
/// Flushes stdout; kRunFailed with a message when something could not be written.
int finish_output(int code);

}  // namespace orrery::cli
