#pragma once
// A request while it is in the system. Sequences live in a pool and are reused, so that serving a
// long trace allocates only as much as is in flight at once.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/core/time.hpp"

namespace orrery::sim {

/// State of one request. Token counts follow vLLM v1: everything known (prompt and tokens produced
/// so far) has to be computed; a sequence whose known tokens are all computed yields one more.
struct Sequence {
  std::int64_t id = 0;       ///< As in the trace.
  std::uint64_t serial = 0;  ///< Unique within the replica; names its private blocks.
  SimTime arrival = kTimeZero;
  SimTime scheduled = kTimeNever;
  SimTime first_token = kTimeNever;
  SimTime last_token = kTimeNever;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  ///< Produced until it completes.
  std::int64_t generated = 0;      ///< Output tokens produced so far.
  std::int64_t computed = 0;       ///< Tokens whose KV is in the cache, or will be after the
                                   ///< iterations in flight.
  std::int64_t cached_tokens = 0;  ///< Prompt tokens found in the cache at first scheduling.
  std::int32_t preemptions = 0;
  std::int32_t in_flight = 0;  ///< Iterations that hold it and have not ended.
  bool swapped = false;        ///< Its blocks are in host memory.
  bool looked_up = false;      ///< The prefix cache has been asked at first scheduling.
  std::int32_t hash_block_tokens = 0;
  std::int64_t block_count = 0;       ///< Blocks held.
  std::vector<std::uint32_t> blocks;  ///< Block table; kept only where prefixes are cached.
  std::vector<std::uint32_t> former;  ///< Block table before the last preemption.
  std::vector<std::uint64_t> block_hashes;

  /// Prompt and output tokens that exist now.
  std::int64_t known_tokens() const { return prompt_tokens + generated; }
  /// Known tokens without KV yet; 0 while the next token is being produced.
  std::int64_t pending_tokens() const { return known_tokens() - computed; }
  /// True when exactly the newest token is left to compute.
  bool decoding() const { return generated > 0 && pending_tokens() == 1; }
  std::int64_t total_tokens() const { return prompt_tokens + output_tokens; }
};

/// Owns sequences; addresses stay valid until put() back.
class SequencePool {
 public:
  Sequence* take();
  void put(Sequence* sequence);
  std::size_t in_use() const { return storage_.size() - free_.size(); }

 private:
  std::deque<Sequence> storage_;
  std::vector<Sequence*> free_;
  std::uint64_t next_serial_ = 1;
};

/// First-in-first-out queue of sequences on a ring; also takes entries back at its front.
class SequenceQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Sequence* front() const { return ring_[head_]; }
  /// The i-th from the front.
  Sequence* at(std::size_t i) const { return ring_[(head_ + i) & mask()]; }
  void push_back(Sequence* sequence);
  void push_front(Sequence* sequence);
  Sequence* pop_front();

 private:
  std::size_t mask() const { return ring_.size() - 1; }
  void grow_if_full();

  std::vector<Sequence*> ring_;  // size is zero or a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace orrery::sim
