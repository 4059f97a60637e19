#include <gtest/gtest.h>

#include "tests/scenarios/fixture.hpp"

namespace orrery::scenarios::testing {
namespace {

TEST(Overrides, SetFieldsAlsoInsideMessagesThatTheFileLacks) {
  const Result<config::Scenario> scenario =
      parse(kSmall, {"serving.scheduler.max_sequences=8k", "seed=7", "serving.slo.ttft=2s"});
  ASSERT_TRUE(scenario) << to_string(scenario.faults());
  EXPECT_EQ(scenario->serving().scheduler().max_sequences(), 8000);
  EXPECT_EQ(scenario->seed(), 7U);
  EXPECT_DOUBLE_EQ(scenario->serving().slo().ttft(), 2.0);
}

TEST(Overrides, ASingleValueSetsTheShorthandAndKeepsTheRest) {
  const Result<config::Scenario> scenario =
      parse(std::string(kSmall) + "serving: {scheduler: {policy: vllm, max_sequences: 3}}\n",
            {"serving.scheduler=orca"});
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->serving().scheduler().policy(), "orca");
  EXPECT_EQ(scenario->serving().scheduler().max_sequences(), 3);
}

TEST(Overrides, NothingOrNullUnsets) {
  for (const char* unset : {"serving.replicas=", "serving.replicas=null"}) {
    const Result<config::Scenario> scenario =
        parse(std::string(kSmall) + "serving: {replicas: 5}\n", {unset});
    ASSERT_TRUE(scenario);
    EXPECT_EQ(scenario->serving().replicas(), 1);
  }
}

TEST(Overrides, CanSupplyWhatTheFileLacksAndBreakWhatItHas) {
  EXPECT_TRUE(parse("kind: serving\nmodel: qwen3-8b\nworkload: {trace: azure-conv-2023}\n",
                    {"cluster=l40s"}));
  EXPECT_FALSE(parse(kSmall, {"cluster.device="})) << "a required field was unset";
}

TEST(Overrides, FaultsNameTheArgument) {
  const Result<config::Scenario> scenario =
      parse(kSmall, {"serving.scheduler.max_sequence=3", "serving.replicas=-1", "nonsense"});
  ASSERT_FALSE(scenario);
  ASSERT_EQ(scenario.faults().size(), 3U);
  EXPECT_EQ(to_string(scenario.faults()[0])
                .find("--set serving.scheduler.max_sequence=3: serving.scheduler.max_sequence: no "
                      "such field"),
            0U);
  EXPECT_EQ(scenario.faults()[0].nearest, "serving.scheduler.max_sequences");
  EXPECT_EQ(scenario.faults()[1].allowed, "1 to 100000");
  EXPECT_EQ(scenario.faults()[2].allowed, "path.to.field=value");
}

}  // namespace
}  // namespace orrery::scenarios::testing
