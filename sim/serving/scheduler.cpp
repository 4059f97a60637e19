#include "sim/serving/scheduler.hpp"

#include "sim/core/check.hpp"

namespace orrery::sim {

void Batch::clear() {
  items.clear();
  moved_blocks = 0;
  preemptions = 0;
  steady = false;
  arrivals_matter = true;
  wake = kTimeNever;
}

void Batch::add(Sequence& sequence, std::int64_t tokens) {
  ORRERY_CHECK(tokens > 0 && tokens <= sequence.pending_tokens());
  BatchItem item{&sequence, tokens, sequence.computed, false};
  sequence.computed += tokens;
  item.yields = sequence.pending_tokens() == 0;
  ++sequence.in_flight;
  items.push_back(item);
}

std::int64_t Scheduler::longest_request(const ReplicaState& state) const {
  return state.kv.total_blocks() * state.kv.block_tokens();
}

}  // namespace orrery::sim
