#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

using ::testing::ElementsAre;

TEST(SarathiScheduler, ServesThreeRequestsTokenByTokenAsWorkedByHand) {
  ServingRun run("sarathi");
  run.serving.mutable_scheduler()->set_chunk_tokens(6);
  run.jobs = {{0.0, 4, 3}, {0.0, 6, 2}, {0.015, 5, 2}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0) 1(2@0)", "16: 0(1@4) 1(4@2) 2(1@0)",
                                       "32: 0(1@5) 1(1@6) 2(4@1)", "48: 2(1@5)"));
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(0), 16);
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(1), 32);
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(2), 48);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(0), 48);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 48);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(2), 59);
}

TEST(SarathiScheduler, AnIterationNeverExceedsTheChunk) {
  ServingRun run("sarathi");
  run.serving.mutable_scheduler()->set_chunk_tokens(16);
  for (int i = 0; i < 40; ++i) run.jobs.push_back({0.001 * i, 10 + 7 * (i % 9), 1 + i % 5});
  run.execute();
  for (const IterationRecord& iteration : run.recorder.iterations) {
    EXPECT_LE(iteration.prefill_tokens + iteration.decode_tokens, 16);
  }
}

}  // namespace
}  // namespace orrery::sim::testing
