#include "models/registry.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

namespace orrery {
namespace {

std::string folded(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    out += c == '-' ? '_' : static_cast<char>(std::tolower(u));
  }
  return out;
}

// Damerau-Levenshtein distance restricted to adjacent transpositions.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestName = 200;  // Longer input is not a slip of the pen.
  if (name.empty() || name.size() > kLongestName) return {};
  const std::string wanted = folded(name);
  std::string best;
  std::size_t best_distance = std::string::npos;
  for (const std::string& candidate : candidates) {
    const std::string folded_candidate = folded(candidate);
    std::size_t distance = edit_distance(wanted, folded_candidate);
    // A whole name given in part ("llama" for "llama-3.1-8b") is nearer than its length suggests.
    const bool part = wanted.size() >= 3 && folded_candidate.find(wanted) != std::string::npos;
    if (part) distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  const std::size_t tolerated = std::max<std::size_t>(1, (wanted.size() + 2) / 3);
  return best_distance <= tolerated ? best : std::string{};
}

}  // namespace orrery
