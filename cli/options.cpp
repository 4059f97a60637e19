#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "models/registry.hpp"

namespace orrery::cli {
namespace {

namespace po = boost::program_options;

constexpr OptionSpec kHelp = {"help,h", "", "Show this help."};

std::string long_name(const OptionSpec& option) {
  return std::string(option.name.substr(0, option.name.find(',')));
}

std::vector<OptionSpec> with_help(const CommandSpec& spec) {
  std::vector<OptionSpec> options = spec.options;
  options.push_back(kHelp);
  return options;
}

Diagnostic fault_of(std::string message) {
  Diagnostic fault;
  fault.message = std::move(message);
  return fault;
}

Diagnostic unknown_option(const CommandSpec& spec, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionSpec& option : with_help(spec)) names.push_back(long_name(option));
  Diagnostic fault = fault_of(fmt::format("there is no option {}", printable(name)));
  const auto first = name.find_first_not_of('-');
  const std::string bare = first == name.npos ? std::string() : name.substr(first);
  fault.nearest = nearest_name(bare.substr(0, bare.find('=')), names);
  if (!fault.nearest.empty()) fault.nearest.insert(0, "--");
  return fault;
}

po::options_description described(const CommandSpec& spec) {
  using Strings = std::vector<std::string>;
  po::options_description all;
  for (const OptionSpec& option : with_help(spec)) {
    const std::string name(option.name);
    if (option.value_name.empty()) {
      all.add_options()(name.c_str(), po::bool_switch(), "");
    } else {
      all.add_options()(name.c_str(), po::value<Strings>()->composing(), "");
    }
  }
  all.add_options()("positional argument", po::value<Strings>(), "");
  return all;
}

}  // namespace

bool Arguments::has(std::string_view name) const { return given_.find(name) != given_.end(); }

std::string Arguments::value(std::string_view name, std::string_view fallback) const {
  const auto it = given_.find(name);
  return it == given_.end() ? std::string(fallback) : it->second.back();
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  const auto it = given_.find(name);
  return it == given_.end() ? std::vector<std::string>{} : it->second;
}

Result<Arguments> parse_arguments(const CommandSpec& spec,
                                  const std::vector<std::string>& arguments) {
  Arguments out;
  Diagnostics faults;
  po::variables_map map;
  const po::options_description all = described(spec);
  po::positional_options_description positional;
  positional.add("positional argument", -1);
  try {
    namespace style = po::command_line_style;
    const int how = style::unix_style & ~style::allow_guessing;
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(how).run(),
        map);
  } catch (const po::unknown_option& error) {
    return unknown_option(spec, error.get_option_name());
  } catch (const po::error& error) {
    return fault_of(printable(error.what()));
  }
  for (const OptionSpec& option : with_help(spec)) {
    const std::string name = long_name(option);
    const auto& value = map[name];
    if (option.value_name.empty()) {
      if (value.as<bool>()) out.given_[name] = {"true"};
      continue;
    }
    if (value.empty()) continue;
    out.given_[name] = value.as<std::vector<std::string>>();
    if (!option.repeated && out.given_[name].size() > 1) {
      faults.push_back(fault_of(fmt::format("--{} is given more than once", name)));
    }
  }
  if (map.count("positional argument") > 0) {
    const auto& given = map["positional argument"].as<std::vector<std::string>>();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool beyond = i >= spec.positional.size();
      if (beyond && (!spec.last_positional_repeats || spec.positional.empty())) {
        faults.push_back(fault_of(fmt::format("unexpected argument {}", printable(given[i]))));
        continue;
      }
      const std::string_view name = beyond ? spec.positional.back() : spec.positional[i];
      out.given_[std::string(name)].push_back(given[i]);
    }
  }
  if (!faults.empty()) return faults;
  return out;
}

std::string help_text(const CommandSpec& spec) {
  const bool colour = use_colour(stdout);
  const std::size_t terminal = terminal_width(stdout);
  const std::size_t width = terminal == 0 ? 100 : terminal;
  std::string out = fmt::format("{} {}\n\n", bold("Usage:", colour), spec.usage);
  std::size_t start = 0;
  while (start <= spec.help.size()) {
    const auto end = std::min(spec.help.find('\n', start), spec.help.size());
    out += wrapped(spec.help.substr(start, end - start), width, "") + "\n";
    start = end + 1;
  }
  out += fmt::format("\n{}\n", bold("Options:", colour));
  std::vector<std::pair<std::string, std::string_view>> lines;
  std::size_t widest = 0;
  for (const OptionSpec& option : with_help(spec)) {
    const auto comma = option.name.find(',');
    std::string left = comma == option.name.npos
                           ? fmt::format("      --{}", option.name)
                           : fmt::format("  -{}, --{}", option.name.substr(comma + 1),
                                         option.name.substr(0, comma));
    if (!option.value_name.empty()) left += fmt::format(" {}", option.value_name);
    widest = std::max(widest, left.size());
    lines.emplace_back(std::move(left), option.help);
  }
  const std::string indent(widest + 2, ' ');
  for (const auto& [left, help] : lines) {
    const std::size_t room = width > indent.size() + 20 ? width : 0;
    const std::string text = wrapped(help, room, indent);
    out += fmt::format("{:<{}}  {}\n", left, widest, text);
  }
  if (!spec.examples.empty()) {
    out += fmt::format("\n{}\n", bold("Examples:", colour));
    for (const std::string_view example : spec.examples) out += fmt::format("  {}\n", example);
  }
  return out;
}

std::optional<Arguments> parse_or_explain(const CommandSpec& spec,
                                          const std::vector<std::string>& arguments,
                                          int& exit_code) {
  auto parsed = parse_arguments(spec, arguments);
  if (!parsed) {
    exit_code = report_faults(parsed.faults());
    fmt::print(stderr, "Usage: {}\n", spec.usage);
    return std::nullopt;
  }
  if (parsed->has("help")) {
    print(help_text(spec));
    exit_code = finish_output(kSuccess);
    return std::nullopt;
  }
  return std::move(parsed).value();
}

int report_faults(const Diagnostics& faults) {
  for (const Diagnostic& fault : faults) {
    fmt::print(stderr, "orrery: {}\n", printable(to_string(fault)));
  }
  return kWrongInput;
}

int report_fault(std::string message) { return report_faults({fault_of(std::move(message))}); }

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "orrery: cannot write the output: {}\n", std::strerror(errno));
  return kRunFailed;
}

}  // namespace orrery::cli
