#include "scenarios/loader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/scenarios/fixture.hpp"

namespace orrery::scenarios::testing {
namespace {

// All faults of a text, one a line as people see them.
std::string faults_of(const std::string& text) {
  const Result<config::Scenario> scenario = parse(text);
  return scenario ? "" : to_string(scenario.faults());
}

TEST(Loader, ReadsValuesWithUnitsShorthandsAndDefaults) {
  const Result<config::Scenario> scenario = parse(std::string(kSmall) +
                                                  "serving:\n"
                                                  "  replicas: 2\n"
                                                  "  scheduler: sarathi\n"
                                                  "  kv_cache: {memory_utilization: 85%}\n"
                                                  "  slo: {ttft: 250ms, tpot: 0.05}\n");
  ASSERT_TRUE(scenario) << to_string(scenario.faults());
  EXPECT_EQ(scenario->name(), "test");
  EXPECT_EQ(scenario->cluster().device(), "h100-sxm-80gb");
  EXPECT_EQ(scenario->workload().trace().path(), "azure-conv-2023");
  EXPECT_EQ(scenario->serving().scheduler().policy(), "sarathi");
  EXPECT_DOUBLE_EQ(scenario->serving().kv_cache().memory_utilization(), 0.85);
  EXPECT_DOUBLE_EQ(scenario->serving().slo().ttft(), 0.25);
  EXPECT_DOUBLE_EQ(scenario->serving().slo().tpot(), 0.05);
  EXPECT_EQ(scenario->serving().kv_cache().block_tokens(), 16) << "the default of the schema";
}

TEST(Loader, NamesTheNearestFieldOfAnUnknownOneWithItsPlace) {
  const std::string said = faults_of(std::string(kSmall) + "serving:\n  replicsa: 2\n");
  EXPECT_EQ(said.find("test.yaml:7:3: serving.replicsa: no such field; did you mean \"replicas\"? "
                      "(allowed: replicas, parallel, scheduler"),
            0U)
      << said;
}

TEST(Loader, ReportsEveryFaultOfAFileAtOnceInOrder) {
  const Result<config::Scenario> scenario = parse(
      "kind: servin\n"
      "cluster: {device: h100, count: 0}\n"
      "model: llama-3.1-8b\n"
      "workload:\n"
      "  trace: azure-conv-2023\n"
      "  rate_scale: -1\n"
      "serving:\n"
      "  slo: {ttft: 5furlongs}\n"
      "  fast_forward: perhaps\n");
  ASSERT_FALSE(scenario);
  const Diagnostics& faults = scenario.faults();
  ASSERT_EQ(faults.size(), 6U) << to_string(faults);
  const std::vector<std::pair<int, int>> places{{1, 7},  {2, 19}, {2, 32},
                                                {6, 15}, {8, 15}, {9, 17}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(faults[i].where.line, places[i].first) << to_string(faults[i]);
    EXPECT_EQ(faults[i].where.column, places[i].second) << to_string(faults[i]);
  }
  EXPECT_EQ(faults[0].nearest, "serving");
  EXPECT_EQ(faults[1].nearest, "h100-sxm-80gb");
  EXPECT_EQ(faults[2].allowed, "1 to 1000000");
  EXPECT_EQ(faults[3].allowed, "above 0 to 1M");
}

struct BadCase {
  const char* name;
  const char* yaml;     ///< Appended to the small scenario.
  const char* message;  ///< Part of what is said.
};

class BadInput : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadInput, IsRefusedWithAReason) {
  const std::string said = faults_of(std::string(kSmall) + GetParam().yaml);
  EXPECT_NE(said.find(GetParam().message), std::string::npos) << said;
  EXPECT_NE(said.find("test.yaml:"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Loader, BadInput,
    ::testing::Values(
        BadCase{"duplicate", "seed: 1\nseed: 2\n", "given twice"},
        BadCase{"nan", "serving: {slo: {ttft: .nan}}\n", "is no number"},
        BadCase{"not_a_number", "serving: {slo: {ttft: nan}}\n", "is no number"},
        BadCase{"infinity", "serving: {slo: {ttft: 1e999}}\n", "is no number"},
        BadCase{"fraction", "serving: {replicas: 1.5}\n", "is no whole number"},
        BadCase{"huge", "serving: {replicas: 99999999999}\n", "out of range"},
        BadCase{"negative_seed", "seed: -1\n", "out of range"},
        BadCase{"list", "serving: [1, 2]\n", "a list where a mapping belongs"},
        BadCase{"mapping", "serving: {replicas: {a: 1}}\n", "a mapping where a value belongs"},
        BadCase{"wrong_unit", "serving: {slo: {ttft: 10GiB}}\n", "unknown unit \"GiB\""},
        BadCase{"bool", "serving: {fast_forward: 1}\n", "neither true nor false"},
        BadCase{"policy", "serving: {scheduler: vlm}\n", "did you mean \"vllm\""},
        BadCase{"enum", "serving: {kv_cache: {preemption: swop}}\n", "did you mean \"swap\""},
        BadCase{"key", "? [a, b]\n: 1\n", "as a key"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Loader, MissingRequiredFieldsPointAtTheirMapping) {
  const std::string said = faults_of("kind: serving\ncluster:\n  count: 2\nmodel: llama-3.1-8b\n");
  EXPECT_NE(said.find("test.yaml:3:3: cluster.device: missing"), std::string::npos) << said;
}

TEST(Loader, AChoiceMustBeMadeOnce) {
  EXPECT_NE(faults_of("kind: serving\ncluster: l40s\nmodel: qwen3-8b\nworkload: {limit: 5}\n")
                .find("needs one of trace, generate"),
            std::string::npos);
  const std::string both = faults_of(std::string(kSmall) + "  generate: {requests: 5}\n");
  EXPECT_NE(both.find("given beside trace"), std::string::npos) << both;
}

TEST(Loader, RefusesWhatIsNoScenarioAtAll) {
  EXPECT_NE(faults_of("").find("empty"), std::string::npos);
  EXPECT_NE(faults_of("\n# nothing\n").find("empty"), std::string::npos);
  EXPECT_NE(faults_of("just text").find("where a mapping belongs"), std::string::npos);
  EXPECT_NE(faults_of(std::string("\x7f") + "ELF\x01\x02").find("not a text file"),
            std::string::npos);
  EXPECT_NE(faults_of("kind: [serving\n").find("test.yaml:2:1: not valid YAML"), std::string::npos);
  EXPECT_NE(faults_of("kind: serving\n---\nkind: serving\n").find("second document"),
            std::string::npos);
  EXPECT_NE(faults_of("kind: serving\n---\nkind: serving\n").find("test.yaml:2:1"),
            std::string::npos);
  EXPECT_NE(faults_of(",# damaged\nkind: serving\n").find("not valid YAML"), std::string::npos)
      << "found by fuzzing: reading all documents of this never ended";
  EXPECT_TRUE(parse(std::string("# comment\n---\n") + kSmall));
  const Result<config::Scenario> missing = load_scenario("no/such.yaml", {}, vocabularies());
  ASSERT_FALSE(missing);
  EXPECT_NE(to_string(missing.faults()).find("no/such.yaml: cannot be read"), std::string::npos);
  EXPECT_FALSE(load_scenario("/", {}, vocabularies()));
}

TEST(Loader, AliasBombsAndDeepNestingAreRefusedQuickly) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = fmt::format("*a{}", i - 1);
    const std::vector<std::string> aliases(10, alias);
    bomb += fmt::format("a{}: &a{} [{}]\n", i, i, fmt::join(aliases, ", "));
  }
  std::string deep = "serving: ";
  for (int i = 0; i < 200; ++i) deep += "{a: ";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(parse(bomb));
  EXPECT_FALSE(parse(deep + std::string(200, '}')));
  EXPECT_FALSE(parse(std::string(100000, '[')));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Loader, EveryTruncationOfAScenarioIsEitherFineOrAFault) {
  const std::string text = std::string(kSmall) + "serving:\n  scheduler: {policy: vllm}\n";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const Result<config::Scenario> scenario = parse(text.substr(0, n));
    if (!scenario) {
      EXPECT_FALSE(scenario.faults().empty());
    }
  }
}

}  // namespace
}  // namespace orrery::scenarios::testing
