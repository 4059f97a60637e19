// Orca: batching at the level of iterations (Yu et al., OSDI 2022). Every iteration runs all
// admitted requests; new ones join between iterations, in order of arrival, their whole prompt
// together with the others' next tokens. A request is admitted only when the blocks of its longest
// possible length are there, so none is ever preempted.

#include "scenarios/scenario.pb.h"
#include "sim/serving/schedulers/common.hpp"
#include "sim/serving/schedulers/entries.hpp"

namespace orrery::sim {
namespace {

class OrcaScheduler final : public Scheduler {
 public:
  explicit OrcaScheduler(const config::Scheduler& options)
      : max_sequences_(options.max_sequences()),
        max_batched_tokens_(options.max_batched_tokens()) {}

  void next(ReplicaState& state, Batch& batch) override {
    add_decodes(state, batch);
    std::int64_t prompt_tokens = 0;
    bool blocked = false;
    while (!state.waiting.empty() && !blocked) {
      const std::int64_t prompt = state.waiting.front()->known_tokens();
      // The limit on tokens bounds activation memory; a longer prompt still runs, without others.
      const bool over = prompt_tokens > 0 && prompt_tokens + prompt > max_batched_tokens_;
      blocked = static_cast<std::int64_t>(state.running.size()) >= max_sequences_ || over ||
                !admit_reserved(state, batch);
      if (!blocked) prompt_tokens += prompt;
    }
    mark_steady(state, batch, blocked);
  }

 private:
  std::int64_t max_sequences_;
  std::int64_t max_batched_tokens_;
};

}  // namespace

SchedulerEntry orca_entry() {
  return {"orca",
          "Iteration-level batching: waiting requests join between iterations with their whole "
          "prompt, blocks for the longest possible output are reserved, nothing is preempted.",
          "Orca (Yu et al., OSDI 2022), section 3",
          {"scheduler.max_sequences", "scheduler.max_batched_tokens"},
          false,
          0.0,
          [](const config::Serving& options, double) -> std::unique_ptr<Scheduler> {
            return std::make_unique<OrcaScheduler>(options.scheduler());
          }};
}

}  // namespace orrery::sim
