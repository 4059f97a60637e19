#include "models/architecture/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include "models/architecture/config_reader.hpp"
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
  // Every product of an exact count is part of this sum, so below the limit none overflows.
  constexpr double kMostParameters = 1e16;
  if (approximate_parameters(a) > kMostParameters) {
    config.fault("hidden_size", "the model would have more than 1e16 parameters");
  }
}

void read_number_format(detail::ConfigReader& config, Architecture& architecture) {
  const char* key = config.has("dtype") ? "dtype" : "torch_dtype";
  std::string type = config.text(key, "");
  constexpr std::string_view kPrefix = "torch.";
  if (type.compare(0, kPrefix.size(), kPrefix) == 0) type.erase(0, kPrefix.size());
  if (type.empty()) return;  // What an outer part said, else bf16, stands.
  if (type == "float8_e4m3fn" || type == "float8_e5m2") type = "fp8";
  const std::optional<DataType> known = data_type_named(type);
  if (!known) {
    const std::vector<std::string> names = data_type_names();
    config.fault(key, fmt::format("unknown number format \"{}\"", type),
                 fmt::format("{}", fmt::join(names, ", ")), nearest_name(type, names));
    return;
  }
  architecture.native_dtype = *known;
}

void read_quantization(detail::ConfigReader& config, Architecture& architecture) {
  if (!config.has("quantization_config")) return;
  const json& part = config.object()["quantization_config"];
  if (!part.is_object()) {
    config.fault("quantization_config", "not an object");
    return;
  }
  const auto method = part.find("quant_method");
  const bool named = method != part.end() && method->is_string();
  architecture.quantization = named ? method->get<std::string>() : "unnamed";
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
    diagnostic.where =
        detail::place_of(display_name, text, error.byte > 0 ? error.byte - 1 : error.byte);
    return diagnostic;
  } catch (const json::exception&) {
    return fault_in(display_name, "not valid JSON: a number is out of range");
  }
  if (!document.is_object()) return fault_in(display_name, "not a JSON object");
  const std::string file(display_name);
  detail::ConfigReader outer(document, file, text);
  // Multimodal configurations keep the language model in a part of its own.
  constexpr const char* kTextPart = "text_config";
  const bool nested = document.contains(kTextPart) && document[kTextPart].is_object();
  const std::size_t part = nested ? detail::find_key(text, kTextPart, 0) : 0;
  detail::ConfigReader config(nested ? document[kTextPart] : document, file, text,
                              nested ? "text_config." : "", part == text.npos ? 0 : part);
  std::string family = outer.text("model_type", "");
  const detail::FamilyEntry* entry = find_entry(detail::families(), family);
  if (entry == nullptr && nested) {
    const std::string inner = config.text("model_type", "");
    entry = find_entry(detail::families(), inner);
    if (entry != nullptr) family = inner;
  }
  if (entry == nullptr) {
    outer.fault("model_type",
                family.empty() ? "missing" : fmt::format("unknown family \"{}\"", family),
                fmt::format("{}", fmt::join(known_families(), ", ")),
                nearest_name(family, known_families()));
    return outer.faults();
  }
  Architecture architecture;
  architecture.name = file;
  architecture.family = family;
  entry->read(config, architecture);
  read_number_format(outer, architecture);
  if (nested) read_number_format(config, architecture);
  read_quantization(outer, architecture);
  if (config.faults().empty()) check_consistency(config, architecture);
  Diagnostics faults = outer.faults();
  faults.insert(faults.end(), config.faults().begin(), config.faults().end());
  if (!faults.empty()) return faults;
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
