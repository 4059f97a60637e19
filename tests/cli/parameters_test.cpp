#include "cli/parameters.hpp"

#include <gmock/gmock.h>

#include "scenarios/scenario.pb.h"

namespace orrery::cli {
namespace {

const analysis::Parameter* find(const std::vector<analysis::Parameter>& all,
                                std::string_view path) {
  for (const analysis::Parameter& parameter : all) {
    if (parameter.path == path) return &parameter;
  }
  return nullptr;
}

TEST(Flatten, GivesSetFieldsAndDefaultsInTheirOwnTypes) {
  config::Scenario scenario;
  scenario.set_kind(config::serving);
  scenario.set_seed(18446744073709551615U);
  scenario.mutable_model()->set_name("llama-3.1-8b");
  scenario.mutable_serving()->mutable_slo()->set_ttft(0.5);
  scenario.mutable_serving()->mutable_kv_cache();
  scenario.mutable_serving()->set_fast_forward(false);
  const auto all = flatten(scenario);
  ASSERT_NE(find(all, "kind"), nullptr);
  EXPECT_EQ(std::get<std::string>(find(all, "kind")->value), "serving");
  EXPECT_EQ(std::get<std::string>(find(all, "seed")->value), "18446744073709551615");
  EXPECT_EQ(std::get<std::string>(find(all, "model.name")->value), "llama-3.1-8b");
  EXPECT_EQ(std::get<double>(find(all, "serving.slo.ttft")->value), 0.5);
  EXPECT_EQ(std::get<std::int64_t>(find(all, "serving.kv_cache.block_tokens")->value), 16);
  EXPECT_EQ(std::get<std::string>(find(all, "serving.kv_cache.preemption")->value), "recompute");
  EXPECT_EQ(std::get<std::int64_t>(find(all, "serving.fast_forward")->value), 0);
  // Messages that are not there act with their defaults, unless being there is what counts.
  ASSERT_NE(find(all, "serving.scheduler.policy"), nullptr);
  EXPECT_EQ(std::get<std::string>(find(all, "serving.scheduler.policy")->value), "vllm");
  EXPECT_EQ(find(all, "serving.kv_cache.blocks"), nullptr);  // Neither set nor a default.
  EXPECT_EQ(find(all, "workload.limit"), nullptr);
}

TEST(Flatten, LeavesOutWhatIsSwitchedOffByBeingAbsent) {
  config::Scenario scenario;
  scenario.mutable_workload()->mutable_generate()->set_requests(5);
  const auto all = flatten(scenario);
  EXPECT_NE(find(all, "workload.generate.requests"), nullptr);
  EXPECT_EQ(find(all, "workload.generate.sessions.turns"), nullptr);
  EXPECT_EQ(find(all, "workload.trace.path"), nullptr);
}

}  // namespace
}  // namespace orrery::cli
