#include "sim/serving/replica.hpp"

#include <algorithm>

#include "sim/core/check.hpp"

namespace orrery::sim {
namespace {

// Of events at one time: arrivals are seen first, then iterations end, then new ones start.
constexpr Priority kDonePriority{1};
constexpr Priority kStartPriority{2};

constexpr std::int64_t kLongestSegment = 4096;  // Iterations; keeps cancelling prompt.
constexpr Duration kFirstLookAhead = std::chrono::milliseconds(50);
constexpr Duration kLongestLookAhead = std::chrono::seconds(10);

SimTime later(SimTime time, Duration duration) {
  return duration >= kTimeNever - time ? kTimeNever : time + duration;
}

}  // namespace

Replica::Replica(std::int32_t index, const ReplicaOptions& options,
                 std::unique_ptr<Scheduler> scheduler, models::IterationCost& cost, Engine& engine,
                 ServingMetrics& metrics, Observer& observer, NodeListener& listener)
    : index_(index),
      options_(options),
      scheduler_(std::move(scheduler)),
      cost_(cost),
      engine_(engine),
      metrics_(metrics),
      observer_(observer),
      listener_(listener),
      wants_iterations_(observer.wants_iterations()),
      state_(options.blocks, options.block_tokens, options.prefix_caching),
      flights_(static_cast<std::size_t>(options.pipeline_stages)),
      stage_free_(static_cast<std::size_t>(options.pipeline_stages), kTimeZero),
      look_ahead_(options.replicas > 1 ? kFirstLookAhead : Duration::zero()) {
  state_.host_blocks_max = options.host_blocks;
}

void Replica::submit(const traces::Request& request) {
  const bool queue_full = options_.max_queue > 0 &&
                          static_cast<std::int64_t>(state_.waiting.size()) >= options_.max_queue;
  // Compared without adding, so that no sum overflows.
  const bool too_long = request.prompt_tokens > options_.longest_request ||
                        request.output_tokens > options_.longest_request - request.prompt_tokens;
  if (queue_full || too_long) {
    reject(request);
    return;
  }
  Sequence* sequence = pool_.take();
  sequence->id = request.id;
  sequence->arrival = engine_.now();
  sequence->prompt_tokens = request.prompt_tokens;
  sequence->output_tokens = request.output_tokens;
  if (options_.prefix_caching && !request.block_hashes.empty()) {
    sequence->hash_block_tokens = request.hash_block_tokens;
    sequence->block_hashes.assign(request.block_hashes.begin(), request.block_hashes.end());
  }
  state_.waiting.push_back(sequence);
  ++outstanding_;
  cut_segment();
  request_start();
}

void Replica::reject(const traces::Request& request) {
  RequestRecord record;
  record.id = request.id;
  record.status = RequestStatus::kRejected;
  record.replica = index_;
  record.prompt_tokens = request.prompt_tokens;
  record.output_tokens = request.output_tokens;
  record.arrival = engine_.now();
  metrics_.request(record);
  if (observer_.wants_requests()) observer_.on_request(record);
  listener_.on_request_left(index_);
}

void Replica::request_start() {
  if (start_pending_ || in_flight_ == options_.pipeline_stages) return;
  start_pending_ = true;
  engine_.schedule_at(
      engine_.now(),
      [this] {
        start_pending_ = false;
        try_start();
      },
      kStartPriority);
}

Replica::Flight& Replica::idle_flight() {
  return *std::find_if(flights_.begin(), flights_.end(),
                       [](const Flight& flight) { return !flight.active; });
}

void Replica::try_start() {
  if (in_flight_ == options_.pipeline_stages || stage_free_[0] > engine_.now()) return;
  engine_.cancel(wake_);
  state_.now = engine_.now();
  account_blocks(engine_.now());
  Flight& flight = idle_flight();
  flight.batch.clear();
  scheduler_->next(state_, flight.batch);
  blocks_used_ = state_.kv.used_blocks();
  metrics_.preempted(flight.batch.preemptions);
  if (!flight.batch.items.empty()) {
    launch(flight);
    return;
  }
  if (flight.batch.wake != kTimeNever) {
    wake_ = engine_.schedule_at(
        flight.batch.wake, [this] { try_start(); }, kStartPriority);
    return;
  }
  // A scheduler that leaves work undone while nothing is in flight would wait for ever.
  ORRERY_CHECK(in_flight_ > 0 || outstanding_ == 0);
}

void Replica::launch(Flight& flight) {
  flight.active = true;
  flight.start = engine_.now();
  ++in_flight_;
  describe_batch(flight);
  flight.ends.clear();
  flight.device_times.clear();
  flight.spreads.clear();
  flight.crossings.clear();
  if (options_.pipeline_stages == 1) {
    price_iterations(flight);
  } else {
    price_pipelined(flight);
  }
  flight.done = engine_.schedule_at(
      flight.ends.back(), [this, &flight] { finish(flight); }, kDonePriority);
}

void Replica::describe_batch(Flight& flight) const {
  flight.prefills.clear();
  flight.shape = models::BatchShape{};
  flight.prefill_tokens = 0;
  flight.decode_tokens = 0;
  for (const BatchItem& item : flight.batch.items) {
    Sequence& sequence = *item.sequence;
    if (sequence.scheduled == kTimeNever) sequence.scheduled = flight.start;
    const bool decoding = item.yields && sequence.generated > 0 && item.tokens == 1;
    (decoding ? flight.decode_tokens : flight.prefill_tokens) += item.tokens;
    if (item.tokens == 1 && item.context > 0) {
      // Kernels cannot tell a prompt's last token from a decode step.
      ++flight.shape.decode_sequences;
      flight.shape.decode_context_tokens += item.context + 1;
      flight.shape.decode_context_max = std::max(flight.shape.decode_context_max, item.context + 1);
    } else {
      flight.prefills.push_back({item.tokens, item.context});
    }
  }
  // vLLM samples a row for every sequence of the batch, also for unfinished prompts.
  flight.shape.logit_rows = static_cast<std::int64_t>(flight.batch.items.size());
  flight.running = static_cast<std::int64_t>(state_.running.size());
  flight.waiting = static_cast<std::int64_t>(state_.waiting.size());
}

models::BatchShape Replica::shape_at(const Flight& flight, std::int64_t step) const {
  models::BatchShape shape = flight.shape;
  shape.prefills = flight.prefills;
  shape.decode_context_tokens += step * shape.decode_sequences;
  shape.decode_context_max += step;
  return shape;
}

std::int64_t Replica::longest_segment(const Flight& flight) const {
  if (!options_.fast_forward || !flight.batch.steady) return 1;
  std::int64_t steps = kLongestSegment;
  for (const BatchItem& item : flight.batch.items) {
    steps = std::min(steps, item.sequence->output_tokens - item.sequence->generated);
  }
  return steps;
}

void Replica::plan_crossings(Flight& flight, std::int64_t steps) const {
  for (std::size_t i = 0; i < flight.batch.items.size(); ++i) {
    const Sequence& sequence = *flight.batch.items[i].sequence;
    const std::int64_t capacity = sequence.block_count * options_.block_tokens;
    const std::int64_t step = capacity - sequence.computed + 1;
    if (step < steps) flight.crossings.push_back({step, i});
  }
  std::sort(flight.crossings.begin(), flight.crossings.end(),
            [](const Crossing& a, const Crossing& b) {
              return a.step != b.step ? a.step < b.step : a.item < b.item;
            });
}

void Replica::price_iterations(Flight& flight) {
  const std::int64_t steps = longest_segment(flight);
  const bool arrivals_matter = flight.batch.arrivals_matter || wants_iterations_;
  const SimTime horizon = arrivals_matter
                              ? std::max(listener_.next_arrival(), later(flight.start, look_ahead_))
                              : kTimeNever;
  if (steps > 1) plan_crossings(flight, steps);
  const auto sequences = static_cast<double>(flight.batch.items.size());
  const Duration host =
      to_duration(options_.host_fixed_s + options_.host_per_sequence_s * sequences);
  const double moving =
      options_.seconds_per_moved_block * static_cast<double>(flight.batch.moved_blocks);
  std::int64_t free_blocks = state_.kv.free_blocks();
  std::size_t crossing = 0;
  SimTime time = flight.start;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (; crossing < flight.crossings.size() && flight.crossings[crossing].step == step;
         ++crossing) {
      if (free_blocks-- == 0) return;  // The scheduler decides who has to go.
      const Crossing next{step + options_.block_tokens, flight.crossings[crossing].item};
      if (next.step < steps) flight.crossings.push_back(next);
    }
    const models::Price price = cost_.stage(shape_at(flight, step), 0);
    const Duration device = to_duration(step == 0 ? price.seconds + moving : price.seconds);
    time = later(later(time, device), host);
    flight.ends.push_back(time);
    flight.device_times.push_back(device);
    flight.spreads.push_back(price.spread);
    if (time >= horizon) return;
  }
}

void Replica::price_pipelined(Flight& flight) {
  const auto sequences = static_cast<double>(flight.batch.items.size());
  const double host = options_.host_fixed_s + options_.host_per_sequence_s * sequences;
  const double moving =
      options_.seconds_per_moved_block * static_cast<double>(flight.batch.moved_blocks);
  const Duration hand_over =
      to_duration(cost_.hand_over(flight.prefill_tokens + flight.decode_tokens).seconds);
  const models::BatchShape shape = shape_at(flight, 0);
  double device_s = 0.0;
  double spread = 0.0;
  SimTime time = flight.start;
  for (int stage = 0; stage < options_.pipeline_stages; ++stage) {
    const models::Price price = cost_.stage(shape, stage);
    device_s += price.seconds;
    spread += price.spread * price.seconds;
    SimTime& free_at = stage_free_[static_cast<std::size_t>(stage)];
    const double extra = stage == 0 ? host + moving : 0.0;
    free_at = later(std::max(time, free_at), to_duration(price.seconds + extra));
    time = stage + 1 < options_.pipeline_stages ? later(free_at, hand_over) : free_at;
  }
  flight.ends.push_back(time);
  flight.device_times.push_back(to_duration(device_s / options_.pipeline_stages));
  flight.spreads.push_back(device_s > 0.0 ? spread / device_s : 0.0);
  engine_.schedule_at(
      stage_free_[0], [this] { try_start(); }, kStartPriority);
}

void Replica::cut_segment() {
  Flight& flight = flights_[0];
  if (options_.pipeline_stages > 1 || !flight.active || flight.ends.size() < 2) return;
  if (!flight.batch.arrivals_matter && !wants_iterations_) return;
  const auto current = std::lower_bound(flight.ends.begin(), flight.ends.end(), engine_.now());
  const auto steps = static_cast<std::size_t>(current - flight.ends.begin()) + 1;
  if (steps >= flight.ends.size()) return;
  look_ahead_ = std::min(look_ahead_, engine_.now() - flight.start);
  flight.ends.resize(steps);
  engine_.cancel(flight.done);
  flight.done = engine_.schedule_at(
      flight.ends.back(), [this, &flight] { finish(flight); }, kDonePriority);
}

void Replica::finish(Flight& flight) {
  if (options_.replicas > 1 && flight.ends.size() > 1) {
    look_ahead_ = std::clamp(2 * look_ahead_, kFirstLookAhead, kLongestLookAhead);
  }
  record_first_gaps(flight);
  record_iteration(flight, 0);
  std::size_t crossing = 0;
  for (std::size_t step = 1; step < flight.ends.size(); ++step) {
    take_crossing_blocks(flight, static_cast<std::int64_t>(step), crossing);
    metrics_.gap(flight.ends[step] - flight.ends[step - 1],
                 static_cast<std::int64_t>(flight.batch.items.size()));
    record_iteration(flight, step);
  }
  account_blocks(engine_.now());
  advance_sequences(flight);
  blocks_used_ = state_.kv.used_blocks();
  flight.active = false;
  --in_flight_;
  try_start();
}

void Replica::record_first_gaps(Flight& flight) {
  Duration gap = Duration::zero();
  std::int64_t times = 0;
  for (const BatchItem& item : flight.batch.items) {
    if (!item.yields || item.sequence->generated == 0) continue;
    const Duration own = flight.ends[0] - item.sequence->last_token;
    if (own != gap && times > 0) {
      metrics_.gap(gap, times);
      times = 0;
    }
    gap = own;
    ++times;
  }
  if (times > 0) metrics_.gap(gap, times);
}

void Replica::take_crossing_blocks(Flight& flight, std::int64_t step, std::size_t& next) {
  if (next >= flight.crossings.size() || flight.crossings[next].step != step) return;
  account_blocks(flight.ends[static_cast<std::size_t>(step) - 1]);
  for (; next < flight.crossings.size() && flight.crossings[next].step == step; ++next) {
    Sequence& sequence = *flight.batch.items[flight.crossings[next].item].sequence;
    ORRERY_CHECK(state_.kv.grow(sequence, sequence.computed + step));
  }
  blocks_used_ = state_.kv.used_blocks();
}

void Replica::record_iteration(const Flight& flight, std::size_t step) {
  const models::BatchShape shape = shape_at(flight, static_cast<std::int64_t>(step));
  IterationSample sample;
  sample.device_time = flight.device_times[step];
  sample.sequences = static_cast<std::int64_t>(flight.batch.items.size());
  sample.flops = cost_.flops(shape);
  sample.memory_bytes = cost_.memory_bytes(shape);
  sample.spread = flight.spreads[step];
  metrics_.iteration(sample);
  const std::int64_t index = iteration_index_++;
  if (!wants_iterations_) return;
  IterationRecord record;
  record.replica = index_;
  record.index = index;
  record.start = step == 0 ? flight.start : flight.ends[step - 1];
  record.duration = flight.ends[step] - record.start;
  record.prefill_tokens = flight.prefill_tokens;
  record.decode_tokens = flight.decode_tokens;
  record.running = flight.running;
  record.waiting = flight.waiting;
  record.kv_blocks_used = blocks_used_;
  observer_.on_iteration(record);
}

void Replica::advance_sequences(Flight& flight) {
  const auto steps = static_cast<std::int64_t>(flight.ends.size());
  bool completed = false;
  for (const BatchItem& item : flight.batch.items) {
    Sequence& sequence = *item.sequence;
    --sequence.in_flight;
    if (!item.yields) continue;
    if (sequence.generated == 0) sequence.first_token = flight.ends[0];
    sequence.generated += steps;
    sequence.computed += steps - 1;
    if (steps > 1) state_.kv.publish(sequence, sequence.computed);
    sequence.last_token = flight.ends.back();
    completed = completed || sequence.generated == sequence.output_tokens;
  }
  if (!completed) return;
  std::erase_if(state_.running, [this](Sequence* sequence) {
    if (sequence->generated < sequence->output_tokens) return false;
    complete(*sequence);
    return true;
  });
}

void Replica::complete(Sequence& sequence) {
  RequestRecord record;
  record.id = sequence.id;
  record.replica = index_;
  record.prompt_tokens = sequence.prompt_tokens;
  record.output_tokens = sequence.output_tokens;
  record.cached_tokens = sequence.cached_tokens;
  record.preemptions = sequence.preemptions;
  record.arrival = sequence.arrival;
  record.scheduled = sequence.scheduled;
  record.first_token = sequence.first_token;
  record.finished = sequence.last_token;
  metrics_.request(record);
  if (observer_.wants_requests()) observer_.on_request(record);
  state_.kv.release(sequence, false);
  pool_.put(&sequence);
  --outstanding_;
  listener_.on_request_left(index_);
}

void Replica::account_blocks(SimTime now) {
  metrics_.blocks_in_use(blocks_used_, now - blocks_since_);
  blocks_since_ = now;
}

}  // namespace orrery::sim
