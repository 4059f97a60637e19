#pragma once
// Continuous batching: which sequences run in the next iteration, and with how many tokens. A
// policy is one file in schedulers/ with one class and one Entry; the registry lists the entries.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"
#include "sim/serving/kv_cache.hpp"
#include "sim/serving/sequence.hpp"

namespace orrery::config {
class Serving;
}

namespace orrery::sim {

/// One sequence's part in an iteration.
struct BatchItem {
  Sequence* sequence = nullptr;
  std::int64_t tokens = 0;   ///< Tokens computed.
  std::int64_t context = 0;  ///< Tokens in the cache before.
  bool yields = false;       ///< All known tokens are computed after it, so a token comes out.
};

/// What a scheduler decides.
struct Batch {
  std::vector<BatchItem> items;
  std::int64_t moved_blocks = 0;  ///< Blocks copied between device and host (swapping).
  std::int64_t preemptions = 0;
  /// True when the next call would return the same decode batch, as long as no sequence completes,
  /// no block is lacking and (if `arrivals_matter`) nothing arrives. False is always right.
  bool steady = false;
  bool arrivals_matter = true;
  SimTime wake = kTimeNever;  ///< Of an empty batch: ask again then even if nothing arrives.

  void clear();
  /// Adds `tokens` of the sequence and counts them as computed. Blocks must be there.
  void add(Sequence& sequence, std::int64_t tokens);
};

/// What a scheduler may look at and change.
struct ReplicaState {
  ReplicaState(std::int64_t blocks, std::int64_t block_tokens, bool prefix_caching)
      : kv(blocks, block_tokens, prefix_caching) {}

  KvCache kv;
  SequenceQueue waiting;           ///< In order of arrival; preempted ones at the front.
  std::vector<Sequence*> running;  ///< In order of admission.
  SequenceQueue swapped;
  std::int64_t host_blocks = 0;      ///< Blocks that host memory holds now.
  std::int64_t host_blocks_max = 0;  ///< Blocks that it can hold.
  SimTime now = kTimeZero;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Fills `batch` (cleared by the caller) for an iteration that starts now. Sequences whose
  /// pending_tokens() is 0 are in flight and must be left alone.
  virtual void next(ReplicaState& state, Batch& batch) = 0;
  /// The most tokens (prompt and output) of a request that this policy can ever serve, given the
  /// cache; longer ones are rejected on arrival.
  virtual std::int64_t longest_request(const ReplicaState& state) const;
};

struct SchedulerEntry {
  std::string_view name;
  std::string_view help;
  std::string_view source;  ///< Engine and version, or paper.
  /// Fields of config::Serving that it uses, as paths below `serving`.
  std::vector<std::string_view> options;
  bool prefix_caching = false;     ///< Can reuse blocks of equal prefixes.
  double default_watermark = 0.0;  ///< When the scenario gives none.
  std::unique_ptr<Scheduler> (*make)(const config::Serving& options, double watermark) = nullptr;
};

/// All schedulers, in a fixed order.
std::span<const SchedulerEntry> schedulers();

}  // namespace orrery::sim
