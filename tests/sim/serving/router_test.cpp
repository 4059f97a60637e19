#include "sim/serving/router.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "models/registry.hpp"
#include "scenarios/scenario.pb.h"
#include "tests/sim/serving/serving_harness.hpp"
#include "traces/request.hpp"

namespace orrery::sim {
namespace {

std::unique_ptr<Router> make(const std::string& name, std::uint64_t seed = 1) {
  return find_entry(routers(), name)->make(config::Router{}, seed);
}

const traces::Request kRequest;

TEST(RoundRobinRouter, TakesReplicasInTurn) {
  const auto router = make("round_robin");
  const std::array<std::int64_t, 3> load{9, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(router->pick(kRequest, load), i % 3);
}

TEST(LeastOutstandingRouter, TakesTheFirstOfTheLeastLoaded) {
  const auto router = make("least_outstanding");
  EXPECT_EQ(router->pick(kRequest, std::array<std::int64_t, 4>{3, 1, 1, 2}), 1U);
}

TEST(RandomRouter, IsUniformByAChiSquareTest) {
  const auto router = make("random");
  const std::vector<std::int64_t> load(10, 0);
  std::vector<double> counts(10, 0.0);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) counts[router->pick(kRequest, load)] += 1.0;
  double chi_square = 0.0;
  for (const double count : counts) chi_square += std::pow(count - 2000.0, 2) / 2000.0;
  EXPECT_LT(chi_square, 27.88) << "0.999 quantile with 9 degrees of freedom";
}

// With n balls in n bins the longest queue is about ln n / ln ln n at random, and about
// log2 ln n with two choices (Mitzenmacher 2001).
TEST(PowerOfTwoRouter, BalancesFarBetterThanRandom) {
  const auto longest = [](const std::string& name) {
    const auto router = make(name, 5);
    std::vector<std::int64_t> load(4096, 0);
    for (int i = 0; i < 4096; ++i) ++load[router->pick(kRequest, load)];
    return *std::max_element(load.begin(), load.end());
  };
  EXPECT_LE(longest("power_of_two"), 4);
  EXPECT_GE(longest("random"), 5);
}

TEST(Routers, EveryRegisteredOneSpreadsAllRequestsOverTheFleet) {
  for (const RouterEntry& entry : routers()) {
    testing::ServingRun run("vllm");
    run.serving.set_replicas(4);
    run.serving.mutable_router()->set_policy(std::string(entry.name));
    for (int i = 0; i < 400; ++i) run.jobs.push_back({0.01 * i, 5, 3});
    run.execute();
    std::vector<int> counts(4, 0);
    for (const RequestRecord& r : run.recorder.requests) {
      ++counts[static_cast<std::size_t>(r.replica)];
    }
    for (const int count : counts) EXPECT_GT(count, 0) << entry.name;
  }
}

}  // namespace
}  // namespace orrery::sim
