// vLLM v0: prompts first. While anybody waits and fits, an iteration computes whole prompts only;
// otherwise it decodes every running sequence. A share of the blocks (the watermark) is kept free
// on admission. When blocks run out, the sequence admitted last is preempted: recomputed from the
// front of the queue, or swapped to host memory; swapped ones come back before anybody new is
// admitted.

#include <algorithm>

#include "scenarios/scenario.pb.h"
#include "sim/serving/schedulers/common.hpp"
#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {
namespace {

class VllmV0Scheduler final : public Scheduler {
 public:
  VllmV0Scheduler(const config::Serving& options, double watermark)
      : max_sequences_(options.scheduler().max_sequences()),
        max_batched_tokens_(options.scheduler().max_batched_tokens()),
        swap_(options.kv_cache().preemption() == config::KvCache::swap),
        watermark_(watermark) {}

  void next(ReplicaState& state, Batch& batch) override {
    bool blocked = true;
    if (state.swapped.empty()) {
      blocked = admit_prompts(state, batch);
      if (!batch.items.empty()) return;
    }
    decode_running(state, batch);
    if (batch.preemptions == 0) swap_in(state, batch);
    // Blocks that a preemption set free may let the queue move in the next iteration.
    mark_steady(state, batch, blocked && batch.preemptions == 0);
  }

  std::int64_t longest_request(const ReplicaState& state) const override {
    return (state.kv.total_blocks() - watermark_blocks(state.kv, watermark_)) *
           state.kv.block_tokens();
  }

 private:
  bool admit_prompts(ReplicaState& state, Batch& batch) const {
    const std::int64_t reserve = watermark_blocks(state.kv, watermark_);
    std::int64_t tokens = 0;
    while (!state.waiting.empty()) {
      if (static_cast<std::int64_t>(state.running.size()) >= max_sequences_) return true;
      Sequence& head = *state.waiting.front();
      // A prompt longer than the limit runs alone: the engine insists on a limit of at least the
      // longest context.
      const std::int64_t prompt = head.known_tokens();
      if (tokens > 0 && tokens + prompt > max_batched_tokens_) return true;
      const KvCache::Admission admission = state.kv.admit(head, prompt, reserve);
      if (!admission.ok) return true;
      batch.add(start_front(state, admission), admission.new_tokens);
      tokens += admission.new_tokens;
    }
    return false;
  }

  void decode_running(ReplicaState& state, Batch& batch) const {
    for (std::size_t i = 0; i < state.running.size(); ++i) {
      Sequence& sequence = *state.running[i];
      if (!sequence.decoding()) continue;
      const auto index = static_cast<std::int64_t>(i);
      if (!grow_or_preempt(state, batch, index, sequence.computed + 1, swap_)) break;
      batch.add(sequence, 1);
    }
  }

  void swap_in(ReplicaState& state, Batch& batch) const {
    const std::int64_t reserve = watermark_blocks(state.kv, watermark_);
    while (!state.swapped.empty() &&
           static_cast<std::int64_t>(state.running.size()) < max_sequences_) {
      Sequence& sequence = *state.swapped.front();
      const std::int64_t on_host = state.kv.blocks_for(sequence.computed);
      const std::int64_t needed = state.kv.blocks_for(sequence.computed + 1);
      const std::int64_t kept = state.running.empty() ? 0 : reserve;
      if (needed + kept > state.kv.free_blocks()) break;
      state.kv.grow(sequence, sequence.computed + 1);
      state.swapped.pop_front();
      sequence.swapped = false;
      state.host_blocks -= on_host;
      batch.moved_blocks += on_host;
      state.running.push_back(&sequence);
      batch.add(sequence, 1);
    }
  }

  std::int64_t max_sequences_;
  std::int64_t max_batched_tokens_;
  bool swap_;
  double watermark_;
};

}  // namespace

SchedulerEntry vllm_v0_entry() {
  return {"vllm_v0",
          "Prompts first: an iteration computes whole waiting prompts, or else decodes everything "
          "that runs; preemption from the tail by recomputation or swapping.",
          "vLLM v0 engine (0.2 to 0.7), default scheduling without chunked prefill",
          {"scheduler.max_sequences", "scheduler.max_batched_tokens", "kv_cache.watermark",
           "kv_cache.preemption", "kv_cache.swap_space"},
          false,
          0.01,
          [](const config::Serving& options, double watermark) -> std::unique_ptr<Scheduler> {
            return std::make_unique<VllmV0Scheduler>(options, watermark);
          }};
}

}  // namespace orrery::sim
