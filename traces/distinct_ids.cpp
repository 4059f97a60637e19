#include "traces/distinct_ids.hpp"

#include <utility>

namespace orrery::traces {

// Finaliser of SplitMix64 (Steele et al. 2014), which is one-to-one.
std::uint64_t DistinctIds::scattered(std::uint64_t id) {
  id = (id ^ (id >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  id = (id ^ (id >> 27U)) * 0x94d049bb133111ebULL;
  return id ^ (id >> 31U);
}

bool DistinctIds::place(std::uint64_t value) {
  // The high bits choose the slot: the low ones are equal in all that are kept.
  std::size_t slot = static_cast<std::size_t>(value >> 32U) & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    if (slots_[slot] == value) return false;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  slots_[slot] = value;
  return true;
}

// By way of a list of what stays, so that never two tables exist at once.
void DistinctIds::rebuild(std::size_t slots) {
  std::vector<std::uint64_t> staying;
  staying.reserve(kept_);
  for (const std::uint64_t value : slots_) {
    if (value != 0 && (value & mask_) == 0) staying.push_back(value);
  }
  std::vector<std::uint64_t>().swap(slots_);
  slots_.assign(slots, 0);
  kept_ = staying.size() + (has_zero_ ? 1 : 0);
  for (const std::uint64_t value : staying) place(value);
}

bool DistinctIds::insert(std::uint64_t id) {
  constexpr std::size_t kFirstSlots = 1024;
  const std::uint64_t value = scattered(id);
  if (value == 0) {
    const bool fresh = !std::exchange(has_zero_, true);
    kept_ += fresh ? 1 : 0;
    return fresh;
  }
  if (slots_.empty()) slots_.assign(kFirstSlots, 0);
  if (!place(value)) return false;
  ++kept_;
  while (kept_ > most_kept_) {
    mask_ = mask_ * 2 + 1;
    rebuild(slots_.size());
  }
  if (kept_ * 2 > slots_.size()) rebuild(slots_.size() * 2);
  return true;
}

}  // namespace orrery::traces
