#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

using ::testing::ElementsAre;

TEST(StaticScheduler, ServesThreeRequestsTokenByTokenAsWorkedByHand) {
  ServingRun run("static");
  run.serving.mutable_scheduler()->set_max_sequences(2);
  run.jobs = {{0.0, 4, 3}, {0.0, 6, 2}, {0.015, 5, 2}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0) 1(6@0)", "20: 0(1@4) 1(1@6)", "32: 0(1@5)",
                                       "43: 2(5@0)", "58: 2(1@5)"));
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 32);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(0), 43);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(2), 69);
}

TEST(StaticScheduler, AnIncompleteBatchWaitsForMoreUntilTheTimeout) {
  ServingRun run("static");
  run.serving.mutable_scheduler()->set_max_sequences(3);
  run.serving.mutable_scheduler()->set_batch_timeout(0.050);
  run.jobs = {{0.0, 4, 1}, {0.020, 4, 1}, {1.0, 4, 1}, {1.010, 4, 1}, {1.020, 4, 1}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("50: 0(4@0) 1(4@0)", "1020: 2(4@0) 3(4@0) 4(4@0)"));
}

}  // namespace
}  // namespace orrery::sim::testing
