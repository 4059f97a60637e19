#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

using ::testing::ElementsAre;

// An iteration takes 10 ms and 1 ms a token, so times are worked out by adding.
TEST(VllmScheduler, ServesThreeRequestsTokenByTokenAsWorkedByHand) {
  ServingRun run("vllm");
  run.serving.mutable_scheduler()->set_max_batched_tokens(8);
  run.jobs = {{0.0, 4, 3}, {0.0, 6, 2}, {0.015, 5, 2}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0) 1(4@0)", "18: 0(1@4) 1(2@4) 2(5@0)",
                                       "36: 0(1@5) 1(1@6) 2(1@5)"));
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(0), 18);
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(1), 36);
  EXPECT_DOUBLE_EQ(run.recorder.first_token_ms(2), 36);
  for (int id = 0; id < 3; ++id) EXPECT_DOUBLE_EQ(run.recorder.finished_ms(id), 49);
  EXPECT_DOUBLE_EQ(run.metric("ttft_s.mean"), (18 + 36 + 21) / 3.0 * 1e-3);
  // Gaps: 18 and 13 ms of request 0, 13 ms of 1 and of 2.
  EXPECT_NEAR(run.metric("itl_s.mean"), (18 + 13 + 13 + 13) / 4.0 * 1e-3, 1e-12);
  EXPECT_NEAR(run.metric("tpot_s.mean"), (15.5 + 13 + 13) / 3.0 * 1e-3, 1e-12);
}

TEST(VllmScheduler, WithoutChunkedPrefillAPromptWaitsUntilItFitsTheBudgetWhole) {
  ServingRun run("vllm");
  run.serving.mutable_scheduler()->set_max_batched_tokens(8);
  run.serving.mutable_scheduler()->set_chunked_prefill(false);
  run.jobs = {{0.0, 4, 2}, {0.0, 6, 1}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0)", "14: 0(1@4) 1(6@0)"));
}

// 4 blocks of 4 tokens. Both prompts take 2 blocks each; with their third output token both need a
// third block, so the younger is preempted and recomputes its 8 + 1 tokens when the older has gone.
TEST(VllmScheduler, PreemptsTheYoungestByRecomputationWhenBlocksRunOut) {
  ServingRun run("vllm", 4);
  run.serving.mutable_kv_cache()->set_prefix_caching(false);
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(8@0) 1(8@0)", "26: 0(1@8)", "37: 0(1@9)", "48: 1(9@0)",
                                       "67: 1(1@9)"));
  EXPECT_EQ(run.recorder.of(1).preemptions, 1);
  EXPECT_EQ(run.recorder.of(0).preemptions, 0);
  EXPECT_DOUBLE_EQ(run.metric("kv.preemptions"), 1);
  EXPECT_DOUBLE_EQ(run.recorder.finished_ms(1), 78);
}

// As above, with prefix caching: of the two blocks that the younger lost, the first is still there
// when it comes back, because freed blocks are reused from the end of a sequence.
TEST(VllmScheduler, APreemptedRequestFindsItsOwnBlocksAgain) {
  ServingRun run("vllm", 4);
  run.jobs = {{0.0, 8, 3}, {0.0, 8, 3}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(8@0) 1(8@0)", "26: 0(1@8)", "37: 0(1@9)", "48: 1(5@4)",
                                       "63: 1(1@9)"));
  EXPECT_EQ(run.recorder.of(1).cached_tokens, 0) << "counts the first scheduling only";
}

TEST(VllmScheduler, SharesBlocksOfEqualPrefixesEvenWithinOneIteration) {
  ServingRun run("vllm");
  // Blocks of 4 tokens; the first two of three are alike.
  run.jobs = {{0.0, 12, 1, {7, 8, 9}, 4}, {0.0, 12, 1, {7, 8, 10}, 4}, {1.0, 12, 1, {7, 8, 9}, 4}};
  run.execute();
  // The third finds all three blocks but must compute its last token, so only two are reused.
  EXPECT_THAT(run.batches, ElementsAre("0: 0(12@0) 1(4@8)", "1000: 2(4@8)"));
  EXPECT_NEAR(run.metric("prefix.hit_rate"), 16.0 / 36.0, 1e-12);
}

TEST(VllmScheduler, NeverRunsMoreSequencesThanAllowed) {
  ServingRun run("vllm");
  run.serving.mutable_scheduler()->set_max_sequences(2);
  run.jobs = {{0.0, 4, 2}, {0.0, 4, 1}, {0.0, 4, 1}};
  run.execute();
  EXPECT_THAT(run.batches, ElementsAre("0: 0(4@0) 1(4@0)", "18: 0(1@4) 2(4@0)"));
}

}  // namespace
}  // namespace orrery::sim::testing
