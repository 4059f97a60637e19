#pragma once
// Values of a result as text, CSV (RFC 4180) and JSON (RFC 8259).

#include <string>
#include <string_view>
#include <vector>

#include "analysis/query/reader.hpp"

namespace orrery::analysis {

/// Plain text: the shortest decimal that reads back as the same number; NULL is empty.
std::string to_text(const Value& value);

/// `text` between quotes with JSON's escapes; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// The shortest decimal that reads back as the same number; null when it is not finite.
std::string json_number(double value);
std::string to_json(const Value& value);

/// Quoted where commas, quotes, line ends or outer blanks ask for it.
std::string csv_field(std::string_view text);

/// One line without its end: `{"column": value, ...}`.
std::string json_row(const std::vector<std::string>& columns, const std::vector<Value>& row);
std::string csv_header(const std::vector<std::string>& columns);
/// One line without its end. NULL is an empty field, an empty text is `""`.
std::string csv_row(const std::vector<Value>& row);

}  // namespace orrery::analysis
