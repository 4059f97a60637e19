// vLLM v1: one token budget an iteration for prompt and output tokens alike. Running sequences come
// first, in order of admission; what is left of the budget admits waiting ones, in order of
// arrival. Prompts may be computed in chunks. When blocks run out, the running sequence admitted
// last loses its blocks and starts again from the front of the queue; in such an iteration nobody
// is admitted.

#include <algorithm>

#include "scenarios/scenario.pb.h"
#include "sim/serving/schedulers/common.hpp"
#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {
namespace {

class VllmScheduler final : public Scheduler {
 public:
  explicit VllmScheduler(const config::Scheduler& options)
      : max_sequences_(options.max_sequences()),
        max_batched_tokens_(options.max_batched_tokens()),
        chunked_(options.chunked_prefill()) {}

  void next(ReplicaState& state, Batch& batch) override {
    std::int64_t budget = max_batched_tokens_;
    schedule_running(state, batch, budget);
    bool blocked = false;
    if (batch.preemptions == 0) blocked = admit_waiting(state, batch, budget);
    mark_steady(state, batch, blocked);
  }

  std::int64_t longest_request(const ReplicaState& state) const override {
    const std::int64_t by_memory = Scheduler::longest_request(state);
    return chunked_ ? by_memory : std::min(by_memory, max_batched_tokens_);
  }

 private:
  static void schedule_running(ReplicaState& state, Batch& batch, std::int64_t& budget) {
    for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
      Sequence& sequence = *state.running[i];
      const std::int64_t tokens = std::min(sequence.pending_tokens(), budget);
      if (tokens == 0) continue;
      const std::int64_t wanted = sequence.computed + tokens;
      if (!grow_or_preempt(state, batch, static_cast<std::int64_t>(i), wanted, false)) break;
      state.kv.publish(sequence, wanted);
      batch.add(sequence, tokens);
      budget -= tokens;
    }
  }

  // True when the head of the queue cannot be admitted until a running sequence ends.
  bool admit_waiting(ReplicaState& state, Batch& batch, std::int64_t& budget) const {
    while (!state.waiting.empty()) {
      if (budget == 0 || static_cast<std::int64_t>(state.running.size()) >= max_sequences_) {
        return true;
      }
      Sequence& head = *state.waiting.front();
      if (!chunked_ && head.known_tokens() - state.kv.cached_prefix_tokens(head) > budget) {
        return true;
      }
      const KvCache::Admission admission = state.kv.admit(head, budget, 0);
      if (!admission.ok) return true;
      Sequence& sequence = start_front(state, admission);
      state.kv.publish(sequence, sequence.computed + admission.new_tokens);
      batch.add(sequence, admission.new_tokens);
      budget -= admission.new_tokens;
    }
    return false;
  }

  std::int64_t max_sequences_;
  std::int64_t max_batched_tokens_;
  bool chunked_;
};

}  // namespace

SchedulerEntry vllm_entry() {
  return {"vllm",
          "One token budget an iteration: running requests first, then waiting ones in order of "
          "arrival; chunked prefill, prefix caching, preemption from the tail by recomputation.",
          "vLLM v1 engine (0.8 to 0.19), first come first served",
          {"scheduler.max_sequences", "scheduler.max_batched_tokens", "scheduler.chunked_prefill",
           "kv_cache.prefix_caching"},
          true,
          0.0,
          [](const config::Serving& options, double) -> std::unique_ptr<Scheduler> {
            return std::make_unique<VllmScheduler>(options.scheduler());
          }};
}

}  // namespace orrery::sim
