#include "models/architecture/config_reader.hpp"

#include <fmt/format.h>

#include <vector>

#include "models/registry.hpp"

namespace orrery::models::detail {

void ConfigReader::fault(std::string key, std::string message, std::string allowed,
                         std::string nearest) {
  Diagnostic diagnostic;
  diagnostic.where.file = file_;
  diagnostic.field = std::move(key);
  diagnostic.message = std::move(message);
  diagnostic.allowed = std::move(allowed);
  diagnostic.nearest = std::move(nearest);
  faults_.push_back(std::move(diagnostic));
}

std::int64_t ConfigReader::whole(const char* key, std::int64_t least) {
  const nlohmann::json& value = object_[key];
  const std::string allowed = fmt::format("a whole number from {} to {}", least, kLargest);
  if (!value.is_number()) {
    fault(key,
          fmt::format(
              "{} is no number",
              value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40)),
          allowed);
    return least;
  }
  const double number = value.get<double>();
  if (!(number >= static_cast<double>(least)) || !(number <= static_cast<double>(kLargest)) ||
      number != static_cast<double>(static_cast<std::int64_t>(number))) {
    fault(key, fmt::format("{}", number), allowed);
    return least;
  }
  return static_cast<std::int64_t>(number);
}

std::int64_t ConfigReader::required(std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (has(key)) return whole(key, 1);
  }
  std::vector<std::string> present;
  for (const auto& item : object_.items()) present.push_back(item.key());
  fault(*keys.begin(), "missing", "a whole number", nearest_name(*keys.begin(), present));
  return 1;
}

std::int64_t ConfigReader::optional(const char* key, std::int64_t otherwise) {
  return has(key) ? whole(key, 0) : otherwise;
}

bool ConfigReader::flag(const char* key, bool otherwise) {
  if (!has(key)) return otherwise;
  if (object_[key].is_boolean()) return object_[key].get<bool>();
  fault(key, "not a truth value", "true or false");
  return otherwise;
}

std::string ConfigReader::text(const char* key, std::string otherwise) {
  if (!has(key)) return otherwise;
  if (object_[key].is_string()) return object_[key].get<std::string>();
  fault(key, "not a text");
  return otherwise;
}

}  // namespace orrery::models::detail
