#include "scenarios/loader.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <sstream>
#include <system_error>

#include "scenarios/binder.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 4U << 20U;

Diagnostic fault_in(const std::string& file, std::string message, int line = 0, int column = 0) {
  Diagnostic fault;
  fault.where = {file, line, column};
  fault.message = std::move(message);
  return fault;
}

// What the YAML parser would stumble over in an unhelpful way.
Diagnostics check_text(std::string_view text, const std::string& file) {
  if (text.size() > kLargestFile) return {fault_in(file, "larger than 4 MiB")};
  int line = 1;
  int column = 1;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 && c != '\n' && c != '\r' && c != '\t') {
      return {fault_in(file, "not a text file", line, column)};
    }
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
  return {};
}

// Nothing but blanks and comments.
bool blank(std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos && line[first] != '#') return false;
  }
  return true;
}

// Line of a "---" after something else than blanks, comments and directives; 0 when there is none.
// At the start of a line it marks a document whatever stands around it.
int second_document(std::string_view text) {
  std::istringstream lines{std::string(text)};
  bool content = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool marker = line.compare(0, 3, "---") == 0 &&
                        (line.size() == 3 || line[3] == ' ' || line[3] == '\r' || line[3] == '\t');
    if (marker && content) return number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    content = content || marker ||
              (first != std::string::npos && line[first] != '#' && line[first] != '%');
  }
  return 0;
}

}  // namespace

Diagnostics bind_yaml(std::string_view text, const std::string& display_name,
                      const fs::path& folder, std::span<const std::string> overrides,
                      const Vocabularies& vocabularies, google::protobuf::Message& message) {
  if (Diagnostics faults = check_text(text, display_name); !faults.empty()) return faults;
  Binder binder(display_name, folder, vocabularies);
  try {
    // The first document alone: asked for all, the parser never ends on some damaged files.
    const YAML::Node document = YAML::Load(std::string(text));
    if (document.IsNull()) {
      return {fault_in(display_name, blank(text) ? "the file is empty" : "not valid YAML", 1, 1)};
    }
    if (const int line = second_document(text); line > 0) {
      return {fault_in(display_name, "a second document in the file", line, 1)};
    }
    binder.bind_message(document, message, "");
  } catch (const YAML::Exception& error) {
    return {fault_in(display_name, fmt::format("not valid YAML: {}", error.msg),
                     error.mark.line + 1, error.mark.column + 1)};
  } catch (const std::exception& error) {
    return {fault_in(display_name, fmt::format("not valid YAML: {}", error.what()))};
  }
  for (const std::string& argument : overrides) binder.bind_override(argument, message);
  binder.check_required(message, "");
  return std::move(binder.faults());
}

Result<config::Scenario> parse_scenario(std::string_view text, const std::string& display_name,
                                        const fs::path& folder,
                                        std::span<const std::string> overrides,
                                        const Vocabularies& vocabularies) {
  config::Scenario scenario;
  Diagnostics faults = bind_yaml(text, display_name, folder, overrides, vocabularies, scenario);
  if (!faults.empty()) return faults;
  if (!scenario.has_name()) scenario.set_name(fs::path(display_name).stem().string());
  return scenario;
}

Result<config::Scenario> load_scenario(const fs::path& path, std::span<const std::string> overrides,
                                       const Vocabularies& vocabularies) {
  std::error_code error;
  if (fs::is_directory(path, error)) return fault_in(path.string(), "a folder, not a scenario");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return fault_in(path.string(), "cannot be read: " + error.message());
  if (size > kLargestFile) return fault_in(path.string(), "larger than 4 MiB, not a scenario");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fault_in(path.string(), "cannot be read");
  return parse_scenario(text.str(), path.string(), path.parent_path(), overrides, vocabularies);
}

}  // namespace orrery::scenarios
