#pragma once
// How many different ids a stream holds, exactly up to a million and estimated beyond, in 16 MiB.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::traces {

/// Adaptive sampling (Wegman; Flajolet 1990): ids are scattered by a one-to-one mixing, and when
/// the table is full, only those whose scattered value ends in one more zero bit are kept. What is
/// kept is a fair sample of 1 in weight() ids, whatever their order and number, so that counts over
/// it times weight() estimate counts over all; the error of the count is about 1 / sqrt(kept ids),
/// at most 0.2 %.
class DistinctIds {
 public:
  static constexpr std::size_t kMostKept = std::size_t{1} << 20U;

  explicit DistinctIds(std::size_t most_kept = kMostKept) : most_kept_(most_kept) {}

  /// Whether the id belongs to the sample now. Only such ids may be inserted.
  bool sampled(std::uint64_t id) const { return (scattered(id) & mask_) == 0; }
  /// 1 while everything is kept; a power of two. Rises in insert().
  std::uint64_t weight() const { return mask_ + 1; }
  /// True when the id was not there.
  bool insert(std::uint64_t id);
  bool exact() const { return mask_ == 0; }
  /// Different ids, an estimate unless exact().
  std::int64_t count() const { return static_cast<std::int64_t>(kept_ * weight()); }

 private:
  static std::uint64_t scattered(std::uint64_t id);
  bool place(std::uint64_t value);
  void rebuild(std::size_t slots);

  std::size_t most_kept_;
  std::uint64_t mask_ = 0;
  std::uint64_t kept_ = 0;
  bool has_zero_ = false;             // the value that marks a free slot
  std::vector<std::uint64_t> slots_;  // open addressing, at most half full
};

}  // namespace orrery::traces
