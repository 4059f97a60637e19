// Static batching, as before iteration-level scheduling: a batch is formed when the device is idle,
// its prompts are computed together, and it decodes until its last request is done; requests that
// end earlier leave their place empty. An incomplete batch may wait for more requests.

#include <algorithm>

#include "scenarios/scenario.pb.h"
#include "sim/serving/schedulers/common.hpp"
#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {
namespace {

class StaticScheduler final : public Scheduler {
 public:
  explicit StaticScheduler(const config::Scheduler& options)
      : max_sequences_(options.max_sequences()),
        max_batched_tokens_(options.max_batched_tokens()),
        timeout_(to_duration(options.batch_timeout())) {}

  void next(ReplicaState& state, Batch& batch) override {
    if (state.running.empty()) {
      form(state, batch);
      return;
    }
    add_decodes(state, batch);
    mark_steady(state, batch, true);
  }

 private:
  void form(ReplicaState& state, Batch& batch) const {
    if (state.waiting.empty()) return;
    const bool full = static_cast<std::int64_t>(state.waiting.size()) >= max_sequences_;
    const Duration waited = state.now - state.waiting.front()->arrival;
    if (!full && waited < timeout_) {
      batch.wake = state.now + (timeout_ - waited);
      return;
    }
    std::int64_t tokens = 0;
    while (!state.waiting.empty() &&
           static_cast<std::int64_t>(state.running.size()) < max_sequences_) {
      const std::int64_t prompt = state.waiting.front()->known_tokens();
      if (tokens > 0 && tokens + prompt > max_batched_tokens_) break;
      if (!admit_reserved(state, batch)) break;
      tokens += prompt;
    }
  }

  std::int64_t max_sequences_;
  std::int64_t max_batched_tokens_;
  Duration timeout_;
};

}  // namespace

SchedulerEntry static_entry() {
  return {"static",
          "A batch is formed when the device is idle and runs until its last request is done.",
          "Request-level batching as in FasterTransformer or Triton's dynamic batcher",
          {"scheduler.max_sequences", "scheduler.max_batched_tokens", "scheduler.batch_timeout"},
          false,
          0.0,
          [](const config::Serving& options, double) -> std::unique_ptr<Scheduler> {
            return std::make_unique<StaticScheduler>(options.scheduler());
          }};
}

}  // namespace orrery::sim
