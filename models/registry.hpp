#pragma once
// Variation points (schedulers, routers, trace formats, built-in models, ...) are constant arrays
// of self-describing entries, one array a kind, in a fixed order. `orrery describe`, the
// documentation and "did you mean" read the same entries. No static constructors: an entry is a
// line in a .cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What every registry entry has; a kind adds its factory and options.
struct NamedEntry {
  std::string_view name;
  std::string_view help;  ///< One sentence.
};

/// The candidate with the least edit distance to `name` (case, '-' and '_' folded), or an empty
/// string when none is near enough to be a plausible slip.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// The entry called `name`, or nullptr.
template <class Entry>
const Entry* find_entry(std::span<const Entry> entries, std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// All names, in the registry's order.
template <class Entry>
std::vector<std::string> entry_names(std::span<const Entry> entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

}  // namespace orrery
