#include "sim/serving/schedulers/common.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/check.hpp"

namespace orrery::sim {
namespace {

Sequence* remove_running(ReplicaState& state, std::int64_t index) {
  Sequence* sequence = state.running[static_cast<std::size_t>(index)];
  state.running.erase(state.running.begin() + index);
  return sequence;
}

}  // namespace

std::int64_t last_idle(const ReplicaState& state, std::int64_t first) {
  for (auto i = static_cast<std::int64_t>(state.running.size()) - 1; i >= first; --i) {
    if (state.running[static_cast<std::size_t>(i)]->in_flight == 0) return i;
  }
  return -1;
}

void preempt_by_recompute(ReplicaState& state, Batch& batch, std::int64_t index) {
  Sequence* sequence = remove_running(state, index);
  state.kv.release(*sequence, true);
  sequence->computed = 0;
  ++sequence->preemptions;
  ++batch.preemptions;
  state.waiting.push_front(sequence);
}

void preempt_by_swap(ReplicaState& state, Batch& batch, std::int64_t index) {
  Sequence* sequence = state.running[static_cast<std::size_t>(index)];
  const std::int64_t blocks = sequence->block_count;
  if (state.host_blocks + blocks > state.host_blocks_max) {
    preempt_by_recompute(state, batch, index);
    return;
  }
  remove_running(state, index);
  state.kv.release(*sequence, false);
  sequence->swapped = true;
  state.host_blocks += blocks;
  batch.moved_blocks += blocks;
  ++sequence->preemptions;
  ++batch.preemptions;
  state.swapped.push_front(sequence);
}

bool grow_or_preempt(ReplicaState& state, Batch& batch, std::int64_t index, std::int64_t tokens,
                     bool swap) {
  Sequence& sequence = *state.running[static_cast<std::size_t>(index)];
  while (!state.kv.grow(sequence, tokens)) {
    const std::int64_t victim = last_idle(state, index);
    if (victim < 0) return false;
    if (swap) {
      preempt_by_swap(state, batch, victim);
    } else {
      preempt_by_recompute(state, batch, victim);
    }
    if (victim == index) return false;
  }
  return true;
}

Sequence& start_front(ReplicaState& state, const KvCache::Admission& admission) {
  Sequence& sequence = *state.waiting.pop_front();
  if (!sequence.looked_up) sequence.cached_tokens = admission.cached_tokens;
  sequence.looked_up = true;
  state.running.push_back(&sequence);
  return sequence;
}

bool admit_reserved(ReplicaState& state, Batch& batch) {
  Sequence& head = *state.waiting.front();
  if (state.kv.blocks_for(head.total_tokens()) > state.kv.free_blocks()) return false;
  const KvCache::Admission admission = state.kv.admit(head, head.known_tokens(), 0);
  ORRERY_CHECK(admission.ok);
  Sequence& sequence = start_front(state, admission);
  ORRERY_CHECK(state.kv.grow(sequence, sequence.total_tokens()));
  batch.add(sequence, admission.new_tokens);
  return true;
}

void add_decodes(ReplicaState& state, Batch& batch) {
  for (Sequence* sequence : state.running) {
    if (sequence->decoding()) batch.add(*sequence, 1);
  }
}

void mark_steady(const ReplicaState& state, Batch& batch, bool queue_blocked) {
  const bool nobody_waits = state.waiting.empty() && state.swapped.empty();
  if (batch.items.size() != state.running.size() || batch.moved_blocks > 0) return;
  if (!nobody_waits && !queue_blocked) return;
  batch.steady = std::all_of(batch.items.begin(), batch.items.end(), [](const BatchItem& item) {
    return item.tokens == 1 && item.yields && item.sequence->generated > 0;
  });
  batch.arrivals_matter = nobody_waits;
}

std::int64_t watermark_blocks(const KvCache& kv, double watermark) {
  return std::llround(watermark * static_cast<double>(kv.total_blocks()));
}

}  // namespace orrery::sim
