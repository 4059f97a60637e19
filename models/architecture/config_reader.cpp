#include "models/architecture/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/registry.hpp"

namespace orrery::models::detail {

SourceLocation place_of(std::string_view file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {std::string(file), static_cast<int>(line), static_cast<int>(before.size() - start) + 1};
}

std::size_t find_key(std::string_view text, std::string_view key, std::size_t start) {
  const std::string quoted = '"' + std::string(key) + '"';
  for (std::size_t at = text.find(quoted, start); at != std::string_view::npos;
       at = text.find(quoted, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != std::string_view::npos && text[next] == ':') return at;
  }
  return std::string_view::npos;
}

void ConfigReader::fault(std::string key, std::string message, std::string allowed,
                         std::string nearest) {
  Diagnostic diagnostic;
  diagnostic.where.file = file_;
  const std::size_t at = mentions(key.c_str()) ? find_key(text_, key, start_) : text_.npos;
  if (at != text_.npos) diagnostic.where = place_of(file_, text_, at);
  diagnostic.field = path_ + key;
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
