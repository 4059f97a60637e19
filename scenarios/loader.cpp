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

}  // namespace

Diagnostics bind_yaml(std::string_view text, const std::string& display_name,
                      const fs::path& folder, std::span<const std::string> overrides,
                      const Vocabularies& vocabularies, google::protobuf::Message& message) {
  if (Diagnostics faults = check_text(text, display_name); !faults.empty()) return faults;
  Binder binder(display_name, folder, vocabularies);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.empty() || documents.front().IsNull()) {
      return {fault_in(display_name, "the file is empty")};
    }
    if (documents.size() > 1) {
      binder.fault(documents[1].Mark(), "", "a second document in the file", "one document");
    }
    binder.bind_message(documents.front(), message, "");
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
