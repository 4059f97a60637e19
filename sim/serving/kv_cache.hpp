#pragma once
// The paged KV cache of one replica, with block prefix caching as vLLM v1 does it: blocks are
// reference counted; a block that nobody uses keeps its content and waits in a queue of free
// blocks, least recently freed first, until it is taken for something else; full blocks are found
// again by a hash that stands for their content and everything before it.

#include <cstdint>
#include <vector>

#include "sim/serving/sequence.hpp"

namespace orrery::sim {

/// Maps a block's hash to the block that holds it; open addressing, at most one block a hash.
class BlockIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t find(std::uint64_t hash) const;
  /// Keeps the present block when the hash is known already.
  void insert(std::uint64_t hash, std::uint32_t block);
  /// Removes the hash when it stands for this block.
  void erase(std::uint64_t hash, std::uint32_t block);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t block = kNone;
  };
  std::size_t home(std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Blocks of one replica. Every method is O(blocks touched).
class KvCache {
 public:
  /// `blocks` of `block_tokens` tokens each; both > 0.
  KvCache(std::int64_t blocks, std::int64_t block_tokens, bool prefix_caching);

  std::int64_t total_blocks() const { return total_; }
  std::int64_t block_tokens() const { return block_tokens_; }
  std::int64_t free_blocks() const { return free_; }
  std::int64_t used_blocks() const { return total_ - free_; }
  std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + block_tokens_ - 1) / block_tokens_;
  }
  /// Blocks that the sequence lacks to hold `tokens` tokens in all.
  std::int64_t missing_blocks(const Sequence& sequence, std::int64_t tokens) const {
    const std::int64_t lacking = blocks_for(tokens) - sequence.block_count;
    return lacking > 0 ? lacking : 0;
  }

  /// Grows the block table to hold `tokens` tokens, or returns false and changes nothing.
  bool grow(Sequence& sequence, std::int64_t tokens);

  /// Starts a block table with the longest cached prefix, then grows it to hold that prefix and at
  /// most `new_tokens` more, keeping `reserve` blocks free; false (nothing changed) when the blocks
  /// do not suffice. Sets `computed` to the tokens found, at most known_tokens() - 1 because the
  /// last token has to be computed to yield the next one. Requires an empty block table.
  struct Admission {
    bool ok = false;
    std::int64_t cached_tokens = 0;
    std::int64_t new_tokens = 0;  ///< min(allowed, tokens left after the cached ones).
  };
  Admission admit(Sequence& sequence, std::int64_t allowed_tokens, std::int64_t reserve);

  /// Tokens of the sequence that the cache holds now; what admit() would find.
  std::int64_t cached_prefix_tokens(const Sequence& sequence) const;

  /// Makes the full blocks among the first `tokens` tokens findable. Called when they are
  /// scheduled, as vLLM does, so that sequences admitted in the same iteration share them.
  void publish(Sequence& sequence, std::int64_t tokens);

  /// Gives all blocks back, last block first, so that the end of a sequence is reused first.
  /// `remember` keeps the table as `former`, so that the sequence finds its own blocks again.
  void release(Sequence& sequence, bool remember);

 private:
  struct Block {
    std::uint64_t hash = 0;  // 0: content not findable
    std::uint32_t references = 0;
    std::uint32_t stamp : 31 = 0;   // changes whenever the block enters or leaves the free queue
    std::uint32_t indexed : 1 = 0;  // the hash is in index_ (private hashes are not)
  };
  /// A place in the queue of free blocks; void when the block's stamp has moved on.
  struct FreeEntry {
    std::uint32_t block = 0;
    std::uint32_t stamp = 0;
  };
  struct BlockHash {
    std::uint64_t value = 0;
    bool shared = false;  // known from the trace, so other sequences may find it
  };

  BlockHash hash_of(const Sequence& sequence, std::int64_t block) const;
  std::uint32_t find_cached(const Sequence& sequence, std::int64_t block) const;
  std::uint32_t take_free();
  void append_free(std::uint32_t block);
  void compact_free_queue();

  std::vector<Block> blocks_;
  // First in, first out, walked in order of memory: a linked list would miss the cache at every
  // step. Blocks found again while free leave a void entry behind.
  std::vector<FreeEntry> free_queue_;
  std::size_t free_head_ = 0;
  BlockIndex index_;
  std::int64_t total_;
  std::int64_t free_;
  std::int64_t untouched_;  // blocks never used yet; they are taken before recycled ones
  std::int64_t block_tokens_;
  bool prefix_caching_;
  std::vector<std::uint32_t> hits_;
};

}  // namespace orrery::sim
