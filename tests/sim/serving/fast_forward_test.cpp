// Advancing unchanged batches in one step must not change a single row or metric.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/serving/serving_harness.hpp"
#include "tests/sim/serving/workloads.hpp"

namespace orrery::sim::testing {
namespace {

std::string text(const RequestRecord& r) {
  return fmt::format(
      "{} {} {} {}+{} cached {} preempted {}: {} {} {} {}", r.id, static_cast<int>(r.status),
      r.replica, r.prompt_tokens, r.output_tokens, r.cached_tokens, r.preemptions,
      r.arrival.time_since_epoch().count(), r.scheduled.time_since_epoch().count(),
      r.first_token.time_since_epoch().count(), r.finished.time_since_epoch().count());
}

std::string text(const IterationRecord& r) {
  return fmt::format("{}/{} {}+{} {} {} running {} waiting {} blocks {}", r.replica, r.index,
                     r.start.time_since_epoch().count(), r.duration.count(), r.prefill_tokens,
                     r.decode_tokens, r.running, r.waiting, r.kv_blocks_used);
}

struct Case {
  const char* policy;
  std::int64_t blocks;
  std::int32_t replicas;
  bool iterations;
  std::uint32_t seed;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.policy << " blocks " << c.blocks << " replicas " << c.replicas << " seed " << c.seed;
}

ServingRun make_run(const Case& c, bool fast_forward) {
  ServingRun run(c.policy, c.blocks);
  run.cost.per_context_token = 1.37e-6;
  run.options.fast_forward = fast_forward;
  run.options.host_fixed_s = 0.0003;
  run.options.host_per_sequence_s = 0.00001;
  run.options.host_blocks = 30;
  run.options.seconds_per_moved_block = 0.0001;
  if (c.seed % 2 == 1 && std::string(c.policy) == "vllm_v0") {
    run.serving.mutable_kv_cache()->set_preemption(config::KvCache::swap);
  }
  run.serving.mutable_scheduler()->set_max_sequences(12);
  run.serving.mutable_scheduler()->set_max_batched_tokens(64);
  run.serving.mutable_scheduler()->set_chunk_tokens(24);
  run.serving.set_replicas(c.replicas);
  run.serving.mutable_router()->set_policy("least_outstanding");
  run.recorder.keep_iterations = c.iterations;
  run.jobs = random_jobs(c.seed, 300, 4.0 * c.replicas, 60, 80);
  run.execute();
  return run;
}

class FastForward : public ::testing::TestWithParam<Case> {};

TEST_P(FastForward, GivesTheSameRowsAndMetricsAsOneIterationAtATime) {
  const ServingRun fast = make_run(GetParam(), true);
  const ServingRun plain = make_run(GetParam(), false);
  ASSERT_EQ(fast.recorder.requests.size(), plain.recorder.requests.size());
  // Requests that end at the same time may be reported in any order of replicas, not of rows.
  for (std::size_t i = 0; i < fast.recorder.requests.size(); ++i) {
    ASSERT_EQ(text(fast.recorder.requests[i]), text(plain.recorder.requests[i]));
  }
  ASSERT_EQ(fast.recorder.iterations.size(), plain.recorder.iterations.size());
  std::vector<std::string> fast_rows;
  std::vector<std::string> plain_rows;
  for (const IterationRecord& r : fast.recorder.iterations) fast_rows.push_back(text(r));
  for (const IterationRecord& r : plain.recorder.iterations) plain_rows.push_back(text(r));
  std::sort(fast_rows.begin(), fast_rows.end());
  std::sort(plain_rows.begin(), plain_rows.end());
  ASSERT_EQ(fast_rows, plain_rows);
  ASSERT_EQ(fast.metrics.size(), plain.metrics.size());
  for (std::size_t i = 0; i < fast.metrics.size(); ++i) {
    EXPECT_EQ(fast.metrics[i].name, plain.metrics[i].name);
    EXPECT_DOUBLE_EQ(fast.metrics[i].value, plain.metrics[i].value) << fast.metrics[i].name;
  }
  EXPECT_LT(fast.events, plain.events) << "nothing was advanced together";
}

std::vector<Case> cases() {
  std::vector<Case> out;
  std::uint32_t seed = 1;
  for (const char* policy : {"static", "orca", "vllm_v0", "vllm", "sarathi"}) {
    for (const std::int64_t blocks : {40, 90, 1000}) {
      for (const std::int32_t replicas : {1, 3}) {
        out.push_back({policy, blocks, replicas, true, seed++});
        out.push_back({policy, blocks, replicas, false, seed++});
      }
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(AllSchedulers, FastForward, ::testing::ValuesIn(cases()));

TEST(FastForward, TheTightCasesDoPreempt) {
  EXPECT_GT(make_run({"vllm", 40, 1, true, 19}, true).metric("kv.preemptions"), 0);
  EXPECT_GT(make_run({"vllm_v0", 40, 1, true, 13}, true).metric("kv.preemptions"), 0);
}

}  // namespace
}  // namespace orrery::sim::testing
