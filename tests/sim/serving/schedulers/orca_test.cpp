#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

using ::testing::ElementsAre;

TEST(OrcaScheduler, ServesThreeRequestsTokenByTokenAsWorkedByHand) {
  ServingRun run("orca");
  run.jobs = {{0.0, 4, 3}, {0.0, 6, 2}, {0.015, 5, 2}};
  run.execute();
  EXPECT_THAT(run.batches,
              ElementsAre("0: 0(4@0) 1(6@0)", "20: 0(1@4) 1(1@6) 2(5@0)", "37: 0(1@5) 2(1@5)"));
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 37);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(0), 49);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(2), 49);
}

// 5 blocks of 4 tokens; each request may grow to 11 tokens, 3 blocks: the second waits for the
// first.
TEST(OrcaScheduler, ReservesTheLongestOutputAndNeverPreempts) {
  ServingRun run("orca", 5);
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(8@0)", "18: 0(1@8)", "29: 0(1@9)", "40: 1(8@0)",
                                       "58: 1(1@8)", "69: 1(1@9)"));
  EXPECT_DOUBLE_EQ(run.metric("kv.preemptions"), 0);
}

}  // namespace
}  // namespace orrery::sim::testing
