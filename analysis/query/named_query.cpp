#include "analysis/query/named_query.hpp"

#include "analysis/embedded_sql.hpp"

namespace orrery::analysis {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// ":run = last | Run to show" without the colon.
QueryParameter parse_parameter(std::string_view line) {
  QueryParameter parameter;
  const auto bar = line.find('|');
  if (bar != std::string_view::npos) parameter.help = trimmed(line.substr(bar + 1));
  const std::string_view left = line.substr(0, bar);
  const auto equals = left.find('=');
  parameter.name = trimmed(left.substr(0, equals));
  if (equals != std::string_view::npos) parameter.default_value = trimmed(left.substr(equals + 1));
  return parameter;
}

}  // namespace

NamedQuery parse_query(std::string_view name, std::string_view text) {
  NamedQuery query;
  query.name = name;
  query.sql = text;
  while (text.substr(0, 2) == "--") {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(2, end == text.npos ? end : end - 2));
    if (!line.empty() && line.front() == ':') {
      query.parameters.push_back(parse_parameter(line.substr(1)));
    } else if (!line.empty()) {
      if (!query.help.empty()) query.help += ' ';
      query.help += line;
    }
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return query;
}

std::span<const NamedQuery> named_queries() {
  static const std::vector<NamedQuery> queries = [] {
    std::vector<NamedQuery> all;
    for (const detail::SqlText& file : detail::query_sql()) {
      all.push_back(parse_query(file.name, file.text));
    }
    return all;
  }();
  return queries;
}

}  // namespace orrery::analysis
