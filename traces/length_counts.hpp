#pragma once
// How often each length occurs: a distribution of token counts in bounded memory, however long the
// trace. Exact up to 1,048,576 tokens; longer ones are kept to within 0.1 %, but the greatest
// exactly.

#include <cstdint>
#include <map>
#include <vector>

namespace orrery::traces {

class LengthCounts {
 public:
  static constexpr std::int64_t kExactTokens = std::int64_t{1} << 20U;

  /// Requires tokens >= 0.
  void add(std::int64_t tokens);
  std::uint64_t total() const { return total_; }
  std::int64_t max() const { return max_; }

  struct Entry {
    std::int64_t tokens = 0;
    std::uint64_t count = 0;
  };
  /// The lengths that occur, from the least to the greatest.
  std::vector<Entry> entries() const;

 private:
  std::vector<std::uint64_t> exact_;              // by length
  std::map<std::int64_t, std::uint64_t> longer_;  // by length, rounded down to 11 bits
  std::uint64_t total_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace orrery::traces
