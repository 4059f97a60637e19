#include "analysis/query/row_format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace orrery::analysis {

std::string to_text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* blob = std::get_if<Blob>(&value)) return "x'" + blob->hex + "'";
  return {};
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string to_json(const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return "null";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return json_number(*real);
  return json_string(to_text(value));
}

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == text.npos && !text.empty() &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_row(const std::vector<std::string>& columns, const std::vector<Value>& row) {
  std::string line = "{";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ", ";
    line += json_string(columns[i]) + ": " + to_json(row[i]);
  }
  return line + "}";
}

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(columns[i]);
  }
  return line;
}

std::string csv_row(const std::vector<Value>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    if (!std::holds_alternative<std::monostate>(row[i])) line += csv_field(to_text(row[i]));
  }
  return line;
}

}  // namespace orrery::analysis
