#pragma once
// What several scheduling policies share.

#include <cstdint>

#include "sim/serving/scheduler.hpp"

namespace orrery::sim {

/// The index of the last running sequence from `first` on that is not in flight, or -1.
std::int64_t last_idle(const ReplicaState& state, std::int64_t first);

/// Takes the blocks of running sequence `index` away; it goes back to the front of the waiting
/// queue and has to compute its known tokens again (as far as the prefix cache has not kept them).
void preempt_by_recompute(ReplicaState& state, Batch& batch, std::int64_t index);

/// Moves the blocks of running sequence `index` to host memory; falls back to recomputation when
/// host memory is full.
void preempt_by_swap(ReplicaState& state, Batch& batch, std::int64_t index);

/// Grows the blocks of running sequence `index` to `tokens`, preempting from the tail as long as
/// they do not suffice. False when the sequence itself had to go or has to wait.
bool grow_or_preempt(ReplicaState& state, Batch& batch, std::int64_t index, std::int64_t tokens,
                     bool swap);

/// Moves the head of the waiting queue into the running set with what `admission` found.
Sequence& start_front(ReplicaState& state, const KvCache::Admission& admission);

/// Admits the head of the queue with all blocks that it will ever need, for policies that reserve
/// them. False (nothing changed) when they do not suffice.
bool admit_reserved(ReplicaState& state, Batch& batch);

/// Adds the next token of every running sequence that has one to compute.
void add_decodes(ReplicaState& state, Batch& batch);

/// Marks the batch steady when it is one token of every running sequence. `queue_blocked` says that
/// the head of the queue was tried and cannot be admitted before a running sequence ends.
void mark_steady(const ReplicaState& state, Batch& batch, bool queue_blocked);

/// Blocks that a share of the cache is, rounded to the nearest (vLLM v0's watermark).
std::int64_t watermark_blocks(const KvCache& kv, double watermark);

}  // namespace orrery::sim
