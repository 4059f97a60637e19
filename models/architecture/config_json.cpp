#include "models/architecture/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "models/architecture/families.hpp"
#include "models/data_type.hpp"
#include "models/registry.hpp"
#include "models/shipped_data.hpp"

namespace orrery::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestFile = 16U << 20U;
constexpr int kDeepestNesting = 64;
constexpr const char* kConfigFolder = "models/architecture/configs";

Diagnostic fault_in(std::string_view file, std::string message) {
  Diagnostic diagnostic;
  diagnostic.where.file = std::string(file);
  diagnostic.message = std::move(message);
  return diagnostic;
}

SourceLocation place_of(std::string_view file, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? std::min(byte - 1, text.size()) : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return {std::string(file), static_cast<int>(line), static_cast<int>(column) + 1};
}

// Refuses nesting that would exhaust the parser's stack when the value is destroyed or printed.
bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepestNesting) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

void check_consistency(detail::ConfigReader& config, const Architecture& a) {
  if (!a.latent && a.kv_heads > 0 && a.heads % a.kv_heads != 0) {
    config.fault("num_key_value_heads",
                 fmt::format("{} does not divide the {} attention heads", a.kv_heads, a.heads));
  }
  if (a.kv_heads == 0) config.fault("num_key_value_heads", "0", "1 to the number of heads");
  if (a.head_dim == 0) config.fault("head_dim", "0 (more heads than hidden size?)", "at least 1");
  if (a.ffn == 0) config.fault("intermediate_size", "0", "at least 1");
  if (a.moe && a.moe->experts_per_token > a.moe->experts) {
    config.fault("num_experts_per_tok",
                 fmt::format("{} of {} experts", a.moe->experts_per_token, a.moe->experts));
  }
  constexpr std::int64_t kMostLayers = 100'000;
  if (a.layers > kMostLayers) {
    config.fault("num_hidden_layers", fmt::format("{}", a.layers), "1 to 100000");
  }
  // A rough count in floating point: the exact one may not overflow.
  const auto d = [](std::int64_t value) { return static_cast<double>(value); };
  const double experts =
      a.moe ? d(a.moe->experts) * d(a.moe->expert_ffn) + d(a.moe->shared_ffn) : 0;
  const double widest = d(a.heads) * d(a.head_dim) * 4.0 + 3.0 * (d(a.ffn) + experts);
  constexpr double kMostParameters = 1e16;
  if (d(a.layers) * d(a.hidden) * widest + 3.0 * d(a.vocabulary) * d(a.hidden) > kMostParameters) {
    config.fault("hidden_size", "the model would have more than 1e16 parameters");
  }
}

Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return fault_in(path.string(), "cannot be read: " + error.message());
  if (size > kLargestFile) return fault_in(path.string(), "larger than 16 MiB, not a config.json");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fault_in(path.string(), "cannot be read");
  return text.str();
}

}  // namespace

Result<Architecture> parse_config_json(std::string_view text, std::string_view display_name) {
  if (nested_too_deep(text)) return fault_in(display_name, "nested too deeply");
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    Diagnostic diagnostic = fault_in(display_name, "not valid JSON");
    diagnostic.where = place_of(display_name, text, error.byte);
    return diagnostic;
  } catch (const json::exception& error) {
    return fault_in(display_name, fmt::format("not valid JSON: {}", error.what()));
  }
  if (!document.is_object()) return fault_in(display_name, "not a JSON object");
  detail::ConfigReader outer(document, std::string(display_name));
  const std::string family = outer.text("model_type", "");
  // Multimodal configurations keep the language model in a part of its own.
  const bool nested = document.contains("text_config") && document["text_config"].is_object();
  detail::ConfigReader config(nested ? document["text_config"] : document,
                              std::string(display_name));
  const detail::FamilyEntry* entry = find_entry(detail::families(), family);
  if (entry == nullptr) {
    outer.fault("model_type",
                family.empty() ? "missing" : fmt::format("unknown family \"{}\"", family),
                fmt::format("{}", fmt::join(known_families(), ", ")),
                nearest_name(family, known_families()));
    return outer.faults();
  }
  Architecture architecture;
  architecture.name = std::string(display_name);
  architecture.family = family;
  entry->read(config, architecture);
  const std::string type = config.text(config.has("dtype") ? "dtype" : "torch_dtype", "bfloat16");
  architecture.native_dtype = data_type_named(type).value_or(DataType::kBf16);
  if (config.faults().empty()) check_consistency(config, architecture);
  if (!config.faults().empty()) return config.faults();
  return architecture;
}

Result<Architecture> load_architecture(std::string_view name_or_path) {
  const std::vector<std::string> names = builtin_models();
  const bool builtin = std::find(names.begin(), names.end(), name_or_path) != names.end();
  fs::path path(name_or_path);
  std::error_code error;
  if (builtin) {
    path = shipped_data(kConfigFolder) / (std::string(name_or_path) + ".json");
  } else if (fs::is_directory(path, error)) {
    path /= "config.json";
  }
  if (!builtin && !fs::exists(path, error)) {
    Diagnostic diagnostic;
    diagnostic.field = "model.name";
    diagnostic.message = fmt::format("\"{}\" is neither a built-in model nor a file", name_or_path);
    diagnostic.nearest = nearest_name(name_or_path, names);
    diagnostic.allowed = "a name from `orrery describe model`, or the path of a config.json";
    return diagnostic;
  }
  Result<std::string> text = read_file(path);
  if (!text) return std::move(text).faults();
  return parse_config_json(*text, builtin ? name_or_path : std::string_view(path.native()));
}

std::vector<std::string> builtin_models() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(shipped_data(kConfigFolder), error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> known_families() { return entry_names(detail::families()); }

}  // namespace orrery::models
