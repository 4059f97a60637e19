// What every registered scheduler promises, on random workloads.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tests/sim/serving/serving_harness.hpp"
#include "tests/sim/serving/workloads.hpp"

namespace orrery::sim::testing {
namespace {

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const SchedulerEntry& entry : schedulers()) names.emplace_back(entry.name);
  return names;
}

class EveryScheduler : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  ServingRun make_run(std::int64_t blocks, std::uint32_t seed) const {
    ServingRun run(std::get<0>(GetParam()), blocks);
    run.options.pipeline_stages = std::get<1>(GetParam());
    run.cost.per_hand_over = 0.0005;
    run.serving.mutable_scheduler()->set_max_sequences(8);
    run.serving.mutable_scheduler()->set_max_batched_tokens(48);
    run.serving.mutable_scheduler()->set_chunk_tokens(20);
    run.jobs = random_jobs(seed, 250, 6.0, 50, 40);
    run.execute();
    return run;
  }
};

TEST_P(EveryScheduler, CompletesOrRejectsEveryRequestOnce) {
  for (const std::int64_t blocks : {12, 30, 400}) {
    const ServingRun run = make_run(blocks, 7);
    std::vector<std::int64_t> ids;
    for (const RequestRecord& r : run.recorder.requests) ids.push_back(r.id);
    std::sort(ids.begin(), ids.end());
    ASSERT_EQ(ids.size(), run.jobs.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(run.metric("requests.completed") + run.metric("requests.rejected"),
              static_cast<double>(run.jobs.size()));
  }
}

TEST_P(EveryScheduler, FreesEveryBlock) {
  for (const std::int64_t blocks : {12, 30, 400}) {
    EXPECT_EQ(make_run(blocks, 11).blocks_in_use_at_end, 0);
  }
}

TEST_P(EveryScheduler, RejectsOnlyWhatCanNeverFit) {
  const ServingRun run = make_run(30, 3);
  for (const RequestRecord& r : run.recorder.requests) {
    const bool fits = r.prompt_tokens + r.output_tokens <= run.options.longest_request;
    EXPECT_EQ(r.status == RequestStatus::kCompleted, fits);
  }
}

TEST_P(EveryScheduler, KeepsTheOrderOfTimesInEveryRequest) {
  for (const RequestRecord& r : make_run(30, 5).recorder.requests) {
    if (r.status != RequestStatus::kCompleted) continue;
    EXPECT_LE(r.arrival, r.scheduled);
    EXPECT_LT(r.scheduled, r.first_token);
    EXPECT_EQ(r.output_tokens == 1, r.first_token == r.finished);
  }
}

TEST_P(EveryScheduler, ProducesEveryOutputTokenExactlyOnce) {
  const ServingRun run = make_run(400, 9);
  std::int64_t expected = 0;
  std::int64_t gaps = 0;
  for (const RequestRecord& r : run.recorder.requests) expected += r.output_tokens;
  for (const RequestRecord& r : run.recorder.requests) gaps += r.output_tokens - 1;
  std::int64_t decoded = 0;
  for (const IterationRecord& i : run.recorder.iterations) decoded += i.decode_tokens;
  // Without preemption every token but a request's first comes out of a decode.
  ASSERT_EQ(run.metric("kv.preemptions"), 0);
  EXPECT_EQ(decoded, gaps);
  EXPECT_EQ(expected, gaps + static_cast<std::int64_t>(run.jobs.size()));
}

TEST_P(EveryScheduler, ServesInOrderOfArrivalWhenAllAreAlike) {
  ServingRun run(std::get<0>(GetParam()), 100);
  run.options.pipeline_stages = std::get<1>(GetParam());
  run.serving.mutable_scheduler()->set_max_sequences(4);
  for (int i = 0; i < 60; ++i) run.jobs.push_back({0.001 * i, 9, 5});
  run.execute();
  for (std::int64_t i = 1; i < 60; ++i) {
    EXPECT_LE(run.recorder.of(i - 1).first_token, run.recorder.of(i).first_token);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryScheduler,
                         ::testing::Combine(::testing::ValuesIn(policies()),
                                            ::testing::Values(1, 3)));

}  // namespace
}  // namespace orrery::sim::testing
