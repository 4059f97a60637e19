#pragma once
// One replica of an autoregressive model: a scheduler, a KV cache and one or more pipeline stages.
//
// Time advances in segments. A segment is one iteration, or, while the scheduler says that nothing
// would change, as many decode iterations as pass until a sequence completes, a block is lacking or
// a request arrives. Both ways price every iteration alike and give the same rows; a segment merely
// saves the events and the scheduling in between.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cost/iteration_cost.hpp"
#include "sim/core/engine.hpp"
#include "sim/core/observer.hpp"
#include "sim/serving/metrics.hpp"
#include "sim/serving/node.hpp"
#include "sim/serving/scheduler.hpp"

namespace orrery::sim {

/// What replicas of a fleet have in common. Lives as long as they do.
struct ReplicaOptions {
  std::int64_t blocks = 0;
  std::int64_t block_tokens = 16;
  bool prefix_caching = false;
  std::int64_t host_blocks = 0;          ///< Blocks that fit into host memory, for swapping.
  double seconds_per_moved_block = 0.0;  ///< To copy one block between device and host.
  std::int64_t longest_request = 0;      ///< Prompt + output tokens; longer ones are rejected.
  std::int64_t max_queue = 0;            ///< Waiting requests; 0: unbounded.
  double host_fixed_s = 0.0;             ///< Host time an iteration.
  double host_per_sequence_s = 0.0;      ///< Host time per sequence of the batch.
  int pipeline_stages = 1;
  bool fast_forward = true;
  int replicas = 1;  ///< In the fleet; decides how far segments look ahead.
};

class Replica final : public ServingNode {
 public:
  /// Everything referenced outlives the replica; `observer` may not be null.
  Replica(std::int32_t index, const ReplicaOptions& options, std::unique_ptr<Scheduler> scheduler,
          models::IterationCost& cost, Engine& engine, ServingMetrics& metrics, Observer& observer,
          NodeListener& listener);

  void submit(const traces::Request& request) override;
  std::int64_t outstanding() const override { return outstanding_; }
  const ReplicaState& state() const { return state_; }

 private:
  /// A block that a decoding sequence will need at iteration `step` of the segment.
  struct Crossing {
    std::int64_t step = 0;
    std::size_t item = 0;
  };
  /// A batch that has been launched and has not ended.
  struct Flight {
    Batch batch;
    bool active = false;
    SimTime start = kTimeZero;
    std::vector<models::PrefillChunk> prefills;
    models::BatchShape shape;  ///< Of the first iteration.
    std::int64_t prefill_tokens = 0;
    std::int64_t decode_tokens = 0;
    std::int64_t running = 0;  ///< Queue lengths at its start.
    std::int64_t waiting = 0;
    std::vector<SimTime> ends;           ///< End of each iteration.
    std::vector<Duration> device_times;  ///< Of each iteration.
    std::vector<double> spreads;
    std::vector<Crossing> crossings;  ///< In the order in which blocks are taken.
    EventHandle done{};
  };

  void reject(const traces::Request& request);
  void request_start();
  void try_start();
  Flight& idle_flight();
  void launch(Flight& flight);
  void describe_batch(Flight& flight) const;
  void price_iterations(Flight& flight);
  void price_pipelined(Flight& flight);
  models::BatchShape shape_at(const Flight& flight, std::int64_t step) const;
  std::int64_t longest_segment(const Flight& flight) const;
  void plan_crossings(Flight& flight, std::int64_t steps) const;
  void cut_segment();
  void finish(Flight& flight);
  void record_first_gaps(Flight& flight);
  void take_crossing_blocks(Flight& flight, std::int64_t step, std::size_t& next);
  void record_iteration(const Flight& flight, std::size_t step);
  void advance_sequences(Flight& flight);
  void complete(Sequence& sequence);
  void account_blocks(SimTime now);

  std::int32_t index_;
  const ReplicaOptions& options_;
  std::unique_ptr<Scheduler> scheduler_;
  models::IterationCost& cost_;
  Engine& engine_;
  ServingMetrics& metrics_;
  Observer& observer_;
  NodeListener& listener_;
  bool wants_iterations_;

  ReplicaState state_;
  SequencePool pool_;
  std::vector<Flight> flights_;  // one a pipeline stage
  int in_flight_ = 0;
  std::int64_t outstanding_ = 0;
  std::int64_t iteration_index_ = 0;
  std::vector<SimTime> stage_free_;
  bool start_pending_ = false;
  EventHandle wake_{};
  Duration look_ahead_ = Duration::zero();
  SimTime blocks_since_ = kTimeZero;
  std::int64_t blocks_used_ = 0;
};

}  // namespace orrery::sim
