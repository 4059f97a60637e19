#include "scenarios/describe.hpp"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "tests/scenarios/fixture.hpp"

namespace orrery::scenarios::testing {
namespace {

TEST(ResolvedYaml, LoadsBackToTheSameMeaning) {
  const Result<config::Scenario> scenario =
      parse(std::string(kSmall) +
            "  rate_scale: 1.7\nserving: {slo: {ttft: 123.456us}, kv_cache: {swap_space: 3GiB}}\n"
            "description: \"quotes \\\" and: colons\\nand lines\"\n");
  ASSERT_TRUE(scenario) << to_string(scenario.faults());
  const std::string text = resolved_yaml(*scenario);
  const Result<config::Scenario> again = parse(text);
  ASSERT_TRUE(again) << to_string(again.faults()) << text;
  EXPECT_EQ(resolved_yaml(*again).size() > 0, true);
  EXPECT_EQ(canonical_text(*again), canonical_text(*scenario));
  EXPECT_EQ(again->description(), scenario->description());
}

TEST(ResolvedYaml, ShowsDefaultsAndWhichOfThemAreAssumed) {
  const std::string text = resolved_yaml(parse(kSmall).value());
  EXPECT_NE(text.find("block_tokens: 16  # default\n"), std::string::npos) << text;
  EXPECT_NE(text.find("fixed: 0.2ms  # default, assumed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# max_context_tokens: the model's position limit\n"), std::string::npos);
}

TEST(CanonicalText, IsTheSameForScenariosThatMeanTheSame) {
  const std::string plain = canonical_text(parse(kSmall).value());
  const std::string other = canonical_text(
      parse("# comment\nname: x\nworkload: {trace: {path: azure-conv-2023}, rate_scale: 1.0}\n"
            "model: {name: llama-3.1-8b}\ncluster: {device: h100-sxm-80gb}\nkind: serving\n"
            "serving: {replicas: 1, kv_cache: {swap_space: 4GiB}}\nseed: 1\n")
          .value());
  EXPECT_EQ(plain, other);
  EXPECT_NE(plain, canonical_text(parse(kSmall, {"seed=2"}).value()));
  EXPECT_NE(plain, canonical_text(parse(kSmall, {"serving.slo.ttft=1s"}).value()));
}

TEST(DescribeSchema, NarrowsToAPathAndNamesTheNearestForAWrongOne) {
  const Result<std::string> part = describe_schema("serving.scheduler");
  ASSERT_TRUE(part);
  EXPECT_NE(part->find("max_sequences  [whole number, 1 to 1000000; default: 256]"),
            std::string::npos)
      << *part;
  const Result<std::string> wrong = describe_schema("serving.schedular");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.faults().front().nearest, "scheduler");
}

}  // namespace
}  // namespace orrery::scenarios::testing
