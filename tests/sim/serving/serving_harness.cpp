#include "tests/sim/serving/serving_harness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/registry.hpp"
#include "sim/serving/fleet.hpp"

namespace orrery::sim::testing {
namespace {

// Exact for whole milliseconds, as seconds times a thousand would not be.
double milliseconds(SimTime time) {
  return static_cast<double>(time.time_since_epoch().count()) / 1e6;
}

class JobSource final : public traces::RequestSource {
 public:
  explicit JobSource(const std::vector<Job>& jobs) : jobs_(jobs) {}
  traces::Pull next(traces::Request& out) override {
    if (next_ == jobs_.size()) return traces::Pull::kEnd;
    const Job& job = jobs_[next_];
    out.id = static_cast<std::int64_t>(next_++);
    out.arrival = to_duration(job.arrival_s);
    out.prompt_tokens = job.prompt;
    out.output_tokens = job.output;
    out.block_hashes = job.hashes;
    out.hash_block_tokens = job.hash_block_tokens;
    return traces::Pull::kRequest;
  }
  const Diagnostics& faults() const override { return faults_; }

 private:
  const std::vector<Job>& jobs_;
  std::size_t next_ = 0;
  Diagnostics faults_;
};

class RecordingScheduler final : public Scheduler {
 public:
  RecordingScheduler(std::unique_ptr<Scheduler> inner, std::vector<std::string>& out)
      : inner_(std::move(inner)), out_(out) {}
  void next(ReplicaState& state, Batch& batch) override {
    inner_->next(state, batch);
    if (batch.items.empty()) return;
    std::string line = fmt::format("{}:", milliseconds(state.now));
    for (const BatchItem& item : batch.items) {
      line += fmt::format(" {}({}@{})", item.sequence->id, item.tokens, item.context);
    }
    out_.push_back(line);
  }

 private:
  std::unique_ptr<Scheduler> inner_;
  std::vector<std::string>& out_;
};

double prefill_tokens(const models::BatchShape& batch) {
  double tokens = 0.0;
  for (const models::PrefillChunk& chunk : batch.prefills) {
    tokens += static_cast<double>(chunk.new_tokens);
  }
  return tokens;
}

}  // namespace

models::Price AffineCost::stage(const models::BatchShape& batch, int /*stage*/) {
  const double seconds = fixed + per_prefill_token * prefill_tokens(batch) +
                         per_decode * static_cast<double>(batch.decode_sequences) +
                         per_context_token * static_cast<double>(batch.decode_context_tokens);
  return {seconds, 0.05};
}

double AffineCost::flops(const models::BatchShape& batch) const {
  return 2.0 * (prefill_tokens(batch) + static_cast<double>(batch.decode_sequences));
}

double AffineCost::memory_bytes(const models::BatchShape& batch) const {
  return 3.0 * static_cast<double>(batch.decode_context_tokens);
}

const RequestRecord& Recorder::of(std::int64_t id) const {
  const auto found = std::find_if(requests.begin(), requests.end(),
                                  [id](const RequestRecord& record) { return record.id == id; });
  EXPECT_NE(found, requests.end()) << "request " << id << " never left";
  return *found;
}

double Recorder::first_token_ms(std::int64_t id) const { return milliseconds(of(id).first_token); }
double Recorder::finished_ms(std::int64_t id) const { return milliseconds(of(id).finished); }

ServingRun::ServingRun(const std::string& policy, std::int64_t blocks) {
  serving.mutable_scheduler()->set_policy(policy);
  options.blocks = blocks;
  options.block_tokens = 4;
  options.fast_forward = false;
  options.longest_request = std::numeric_limits<std::int64_t>::max();
}

void ServingRun::execute() {
  const SchedulerEntry* entry = find_entry(schedulers(), serving.scheduler().policy());
  ASSERT_NE(entry, nullptr);
  options.replicas = serving.replicas();
  options.prefix_caching = entry->prefix_caching && serving.kv_cache().prefix_caching();
  const double watermark = serving.kv_cache().has_watermark() ? serving.kv_cache().watermark()
                                                              : entry->default_watermark;
  const ReplicaState state(options.blocks, options.block_tokens, false);
  options.longest_request =
      std::min(options.longest_request, entry->make(serving, watermark)->longest_request(state));
  Engine engine;
  ServingMetrics collected{Objectives{}};
  JobSource source(jobs);
  const RouterEntry* router = find_entry(routers(), serving.router().policy());
  ASSERT_NE(router, nullptr);
  Fleet fleet(engine, source, router->make(serving.router(), 1));
  std::vector<std::unique_ptr<ServingNode>> nodes;
  std::vector<const Replica*> replicas;
  for (std::int32_t i = 0; i < serving.replicas(); ++i) {
    auto scheduler = std::make_unique<RecordingScheduler>(entry->make(serving, watermark), batches);
    auto replica = std::make_unique<Replica>(i, options, std::move(scheduler), cost, engine,
                                             collected, recorder, fleet);
    replicas.push_back(replica.get());
    nodes.push_back(std::move(replica));
  }
  fleet.add_nodes(std::move(nodes));
  ASSERT_EQ(fleet.run(recorder), Fleet::End::kDone);
  for (const Replica* replica : replicas) {
    blocks_in_use_at_end += replica->state().kv.used_blocks();
  }
  events = engine.events_handled();
  FleetFigures figures;
  figures.devices = serving.replicas();
  figures.replicas = serving.replicas();
  figures.total_blocks = options.blocks;
  figures.peak_flops = 1.0;
  figures.memory_bandwidth = 1.0;
  metrics = collected.summary(figures);
}

double ServingRun::metric(const std::string& name) const {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  ADD_FAILURE() << "no metric " << name;
  return 0.0;
}

}  // namespace orrery::sim::testing
