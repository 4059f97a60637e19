#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

using ::testing::ElementsAre;

TEST(VllmV0Scheduler, ServesThreeRequestsTokenByTokenAsWorkedByHand) {
  ServingRun run("vllm_v0");
  run.serving.mutable_scheduler()->set_max_batched_tokens(10);
  run.jobs = {{0.0, 4, 3}, {0.0, 6, 2}, {0.015, 5, 2}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0) 1(6@0)", "20: 2(5@0)", "35: 0(1@4) 1(1@6) 2(1@5)",
                                       "48: 0(1@5)"));
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(2), 35);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(0), 59);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 48);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(2), 48);
}

// 5 blocks of 4 tokens, no watermark; each prompt takes 2 blocks, so one is left for two decodes.
TEST(VllmV0Scheduler, PreemptsByRecomputationFromTheTail) {
  ServingRun run("vllm_v0", 5);
  run.serving.mutable_kv_cache()->set_watermark(0.0);
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(8@0) 1(8@0)", "26: 0(1@8)", "37: 0(1@9)", "48: 1(9@0)",
                                       "67: 1(1@9)"));
  EXPECT_EQ(run.recorder.of(1).preemptions, 1);
}

// The same with swapping: 2 blocks go to the host and come back, 2 ms a block each way.
TEST(VllmV0Scheduler, SwapsBlocksOutAndInWithoutComputingThemAgain) {
  ServingRun run("vllm_v0", 5);
  run.serving.mutable_kv_cache()->set_watermark(0.0);
  run.serving.mutable_kv_cache()->set_preemption(config::KvCache::swap);
  run.options.host_blocks = 10;
  run.options.seconds_per_moved_block = 0.002;
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  // 26: request 0 decodes (11 ms) while 2 blocks move out (4 ms); 41: 11 ms; 52: they move back.
  EXPECT_THAT(run.batches, ElementsAre("0: 0(8@0) 1(8@0)", "26: 0(1@8)", "41: 0(1@9)", "52: 1(1@8)",
                                       "67: 1(1@9)"));
  EXPECT_EQ(run.recorder.of(1).preemptions, 1);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 78);
}

TEST(VllmV0Scheduler, RecomputesWhenHostMemoryIsFull) {
  ServingRun run("vllm_v0", 5);
  run.serving.mutable_kv_cache()->set_watermark(0.0);
  run.serving.mutable_kv_cache()->set_preemption(config::KvCache::swap);
  run.options.host_blocks = 1;
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  EXPECT_EQ(run.batches[3], "48: 1(9@0)");
}

TEST(VllmV0Scheduler, KeepsTheWatermarkFreeOnAdmission) {
  ServingRun run("vllm_v0", 10);
  run.serving.mutable_kv_cache()->set_watermark(0.2);
  run.jobs = {{0.0, 16, 1}, {0.0, 20, 1}};  // 4 and 5 blocks; 2 have to stay free.
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(16@0)", "26: 1(20@0)"));
}

}  // namespace
}  // namespace orrery::sim::testing
