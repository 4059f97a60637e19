// Sarathi-Serve (Agrawal et al., OSDI 2024): stall-free batching under a small token budget. The
// next token of every decoding request goes first, then prompts that are partly computed, then new
// ones; prompts are cut so that the iteration stays within the budget. Blocks of a whole prompt are
// taken on admission; when blocks run out, the request admitted last is recomputed.

#include <algorithm>

#include "scenarios/scenario.pb.h"
#include "sim/serving/schedulers/common.hpp"
#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {
namespace {

class SarathiScheduler final : public Scheduler {
 public:
  SarathiScheduler(const config::Scheduler& options, double watermark)
      : max_sequences_(options.max_sequences()),
        chunk_tokens_(options.chunk_tokens()),
        watermark_(watermark) {}

  void next(ReplicaState& state, Batch& batch) override {
    std::int64_t budget = chunk_tokens_;
    decode_running(state, batch, budget);
    for (Sequence* sequence : state.running) {
      const std::int64_t pending = sequence->pending_tokens();
      if (budget == 0 || pending == 0 || sequence->decoding()) continue;
      const std::int64_t tokens = std::min(pending, budget);
      batch.add(*sequence, tokens);
      budget -= tokens;
    }
    bool blocked = false;
    if (batch.preemptions == 0) blocked = admit_waiting(state, batch, budget);
    mark_steady(state, batch, blocked);
  }

  std::int64_t longest_request(const ReplicaState& state) const override {
    return (state.kv.total_blocks() - watermark_blocks(state.kv, watermark_)) *
           state.kv.block_tokens();
  }

 private:
  static void decode_running(ReplicaState& state, Batch& batch, std::int64_t& budget) {
    for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
      Sequence& sequence = *state.running[i];
      if (!sequence.decoding()) continue;
      const auto index = static_cast<std::int64_t>(i);
      if (!grow_or_preempt(state, batch, index, sequence.computed + 1, false)) break;
      batch.add(sequence, 1);
      --budget;
    }
  }

  bool admit_waiting(ReplicaState& state, Batch& batch, std::int64_t& budget) const {
    const std::int64_t reserve = watermark_blocks(state.kv, watermark_);
    while (!state.waiting.empty()) {
      if (budget == 0 || static_cast<std::int64_t>(state.running.size()) >= max_sequences_) {
        return true;
      }
      Sequence& head = *state.waiting.front();
      const KvCache::Admission admission = state.kv.admit(head, head.known_tokens(), reserve);
      if (!admission.ok) return true;
      const std::int64_t tokens = std::min(admission.new_tokens, budget);
      batch.add(start_front(state, admission), tokens);
      budget -= tokens;
    }
    return false;
  }

  std::int64_t max_sequences_;
  std::int64_t chunk_tokens_;
  double watermark_;
};

}  // namespace

SchedulerEntry sarathi_entry() {
  return {"sarathi",
          "Stall-free batching: decodes first, then prompts in chunks that fill a small token "
          "budget; preemption from the tail by recomputation.",
          "Sarathi-Serve (Agrawal et al., OSDI 2024), algorithm 3",
          {"scheduler.max_sequences", "scheduler.chunk_tokens", "kv_cache.watermark"},
          false,
          0.01,
          [](const config::Serving& options, double watermark) -> std::unique_ptr<Scheduler> {
            return std::make_unique<SarathiScheduler>(options.scheduler(), watermark);
          }};
}

}  // namespace orrery::sim
