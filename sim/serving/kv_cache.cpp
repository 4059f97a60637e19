#include "sim/serving/kv_cache.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace orrery::sim {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that scatters its input.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::size_t BlockIndex::home(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

std::uint32_t BlockIndex::find(std::uint64_t hash) const {
  if (slots_.empty()) return kNone;
  for (std::size_t i = home(hash);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].block == kNone) return kNone;
    if (slots_[i].hash == hash) return slots_[i].block;
  }
}

void BlockIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.block != kNone) insert(slot.hash, slot.block);
  }
}

void BlockIndex::insert(std::uint64_t hash, std::uint32_t block) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  for (std::size_t i = home(hash);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].block == kNone) {
      slots_[i] = Slot{hash, block};
      ++used_;
      return;
    }
    if (slots_[i].hash == hash) return;
  }
}

void BlockIndex::erase(std::uint64_t hash, std::uint32_t block) {
  if (slots_.empty()) return;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = home(hash);
  while (slots_[hole].block != kNone && slots_[hole].hash != hash) hole = (hole + 1) & mask;
  if (slots_[hole].block != block) return;
  // Shift the following entries back so that no search meets a gap before its entry.
  for (std::size_t i = (hole + 1) & mask; slots_[i].block != kNone; i = (i + 1) & mask) {
    const std::size_t wanted = home(slots_[i].hash);
    if (((i - wanted) & mask) >= ((i - hole) & mask)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = Slot{};
  --used_;
}

KvCache::KvCache(std::int64_t blocks, std::int64_t block_tokens, bool prefix_caching)
    : total_(blocks),
      free_(blocks),
      untouched_(blocks),
      block_tokens_(block_tokens),
      prefix_caching_(prefix_caching) {
  ORRERY_CHECK(blocks > 0 && block_tokens > 0);
}

KvCache::BlockHash KvCache::hash_of(const Sequence& sequence, std::int64_t block) const {
  const std::int64_t end = (block + 1) * block_tokens_;
  if (sequence.hash_block_tokens > 0) {
    // Ids of the trace are chained: the one that covers the block's last token stands for
    // everything up to there. The position inside it tells several of our blocks under one id
    // apart.
    const std::int64_t covering = (end - 1) / sequence.hash_block_tokens;
    if (covering < static_cast<std::int64_t>(sequence.block_hashes.size()) &&
        end <= sequence.prompt_tokens + sequence.output_tokens) {
      const std::uint64_t id = sequence.block_hashes[static_cast<std::size_t>(covering)];
      const auto position = static_cast<std::uint64_t>(end - covering * sequence.hash_block_tokens);
      return BlockHash{mix(mix(id) + position) | 1ULL, true};
    }
  }
  return BlockHash{mix(mix(~sequence.serial) + static_cast<std::uint64_t>(block)) | 1ULL, false};
}

std::uint32_t KvCache::find_cached(const Sequence& sequence, std::int64_t block) const {
  const BlockHash hash = hash_of(sequence, block);
  if (hash.shared) return index_.find(hash.value);
  const auto i = static_cast<std::size_t>(block);
  if (i < sequence.former.size() && blocks_[sequence.former[i]].hash == hash.value) {
    return sequence.former[i];
  }
  return BlockIndex::kNone;
}

std::int64_t KvCache::cached_prefix_tokens(const Sequence& sequence) const {
  if (!prefix_caching_) return 0;
  if (sequence.former.empty() && sequence.block_hashes.empty()) return 0;
  const std::int64_t limit = (sequence.known_tokens() - 1) / block_tokens_;
  std::int64_t found = 0;
  while (found < limit && find_cached(sequence, found) != BlockIndex::kNone) ++found;
  return found * block_tokens_;
}

KvCache::Admission KvCache::admit(Sequence& sequence, std::int64_t allowed_tokens,
                                  std::int64_t reserve) {
  ORRERY_CHECK(sequence.block_count == 0);
  const std::int64_t cached = cached_prefix_tokens(sequence);
  const std::int64_t new_tokens = std::min(allowed_tokens, sequence.known_tokens() - cached);
  const std::int64_t hit_blocks = cached / block_tokens_;
  // Blocks found among the free ones are no longer available for growing.
  hits_.clear();
  std::int64_t revived = 0;
  for (std::int64_t i = 0; i < hit_blocks; ++i) {
    hits_.push_back(find_cached(sequence, i));
    if (blocks_[hits_.back()].references == 0) ++revived;
  }
  const std::int64_t fresh = blocks_for(cached + new_tokens) - hit_blocks;
  if (fresh + revived + reserve > free_) return Admission{};
  for (const std::uint32_t block : hits_) {
    if (blocks_[block].references++ == 0) {
      ++blocks_[block].stamp;
      --free_;
    }
    sequence.blocks.push_back(block);
    ++sequence.block_count;
  }
  sequence.computed = cached;
  sequence.former.clear();
  ORRERY_CHECK(grow(sequence, cached + new_tokens));
  return Admission{true, cached, new_tokens};
}

bool KvCache::grow(Sequence& sequence, std::int64_t tokens) {
  const std::int64_t lacking = missing_blocks(sequence, tokens);
  if (lacking > free_) return false;
  sequence.block_count += lacking;
  if (!prefix_caching_) {
    free_ -= lacking;
    return true;
  }
  for (std::int64_t i = 0; i < lacking; ++i) sequence.blocks.push_back(take_free());
  return true;
}

void KvCache::publish(Sequence& sequence, std::int64_t tokens) {
  if (!prefix_caching_) return;
  const std::int64_t full = tokens / block_tokens_;
  // Blocks are filled in order: walk back from the newest full one to the first that is known.
  for (std::int64_t i = full - 1; i >= 0; --i) {
    const std::uint32_t id = sequence.blocks[static_cast<std::size_t>(i)];
    Block& block = blocks_[id];
    if (block.hash != 0) break;
    const BlockHash hash = hash_of(sequence, i);
    block.hash = hash.value;
    block.indexed = hash.shared && index_.find(hash.value) == BlockIndex::kNone ? 1 : 0;
    if (block.indexed != 0) index_.insert(hash.value, id);
  }
}

void KvCache::release(Sequence& sequence, bool remember) {
  if (!prefix_caching_) free_ += sequence.block_count;
  sequence.block_count = 0;
  for (std::size_t i = sequence.blocks.size(); i-- > 0;) {
    const std::uint32_t id = sequence.blocks[i];
    ORRERY_CHECK(blocks_[id].references > 0);
    if (--blocks_[id].references == 0) {
      append_free(id);
      ++free_;
    }
  }
  ORRERY_CHECK(free_ <= total_);
  sequence.former.clear();
  if (remember) sequence.former.swap(sequence.blocks);
  sequence.blocks.clear();
}

std::uint32_t KvCache::take_free() {
  --free_;
  if (untouched_ > 0) {
    --untouched_;
    blocks_.emplace_back();
    blocks_.back().references = 1;
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  for (;;) {
    ORRERY_CHECK(free_head_ < free_queue_.size());
    const FreeEntry entry = free_queue_[free_head_++];
    Block& block = blocks_[entry.block];
    if (block.stamp != entry.stamp) continue;
    if (block.indexed != 0) index_.erase(block.hash, entry.block);
    block.hash = 0;
    block.indexed = 0;
    block.references = 1;
    ++block.stamp;
    return entry.block;
  }
}

void KvCache::append_free(std::uint32_t block) {
  if (free_queue_.size() == free_queue_.capacity()) compact_free_queue();
  const std::uint32_t stamp = ++blocks_[block].stamp;
  free_queue_.push_back({block, stamp});
}

void KvCache::compact_free_queue() {
  std::size_t kept = 0;
  for (std::size_t i = free_head_; i < free_queue_.size(); ++i) {
    const FreeEntry entry = free_queue_[i];
    if (blocks_[entry.block].stamp == entry.stamp) free_queue_[kept++] = entry;
  }
  free_queue_.resize(kept);
  free_head_ = 0;
  // At least twice the room of what is free, so that compacting costs little on average.
  free_queue_.reserve(std::max<std::size_t>(64, 2 * kept + 64));
}

}  // namespace orrery::sim
