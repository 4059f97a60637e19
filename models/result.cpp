#include "models/result.hpp"

#include <fmt/format.h>

namespace orrery {

std::string to_string(const Diagnostic& diagnostic) {
  std::string out;
  if (!diagnostic.where.file.empty()) {
    out += diagnostic.where.file;
    if (diagnostic.where.line > 0) out += fmt::format(":{}", diagnostic.where.line);
    if (diagnostic.where.column > 0) out += fmt::format(":{}", diagnostic.where.column);
    out += ": ";
  }
  if (!diagnostic.field.empty()) out += diagnostic.field + ": ";
  out += diagnostic.message;
  if (!diagnostic.nearest.empty()) out += fmt::format("; did you mean \"{}\"?", diagnostic.nearest);
  if (!diagnostic.allowed.empty()) out += fmt::format(" (allowed: {})", diagnostic.allowed);
  return out;
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += to_string(diagnostic) + "\n";
  return out;
}

}  // namespace orrery
