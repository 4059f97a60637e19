#include "traces/length_counts.hpp"

#include <algorithm>
#include <bit>

namespace orrery::traces {

void LengthCounts::add(std::int64_t tokens) {
  ++total_;
  max_ = std::max(max_, tokens);
  if (tokens > kExactTokens) {
    constexpr int kKeptBits = 11;
    const int dropped =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tokens))) - kKeptBits;
    ++longer_[(tokens >> dropped) << dropped];
    return;
  }
  const auto index = static_cast<std::size_t>(tokens);
  if (index >= exact_.size()) exact_.resize(std::max(index + 1, exact_.size() * 2));
  ++exact_[index];
}

std::vector<LengthCounts::Entry> LengthCounts::entries() const {
  std::vector<Entry> out;
  for (std::size_t tokens = 0; tokens < exact_.size(); ++tokens) {
    if (exact_[tokens] > 0) out.push_back({static_cast<std::int64_t>(tokens), exact_[tokens]});
  }
  for (const auto& [tokens, count] : longer_) out.push_back({tokens, count});
  if (!longer_.empty() && out.back().tokens != max_) {
    if (--out.back().count == 0) out.pop_back();
    out.push_back({max_, 1});
  }
  return out;
}

}  // namespace orrery::traces
