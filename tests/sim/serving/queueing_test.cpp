// Serving reduced to queues whose waiting times are known in closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {
namespace {

constexpr int kRequests = 60000;

// A server that takes one request at a time: static batches of one.
ServingRun single_server(double rate, std::uint32_t seed) {
  ServingRun run("static", 100);
  run.options.block_tokens = 100'000'000;
  run.serving.mutable_scheduler()->set_max_sequences(1);
  run.recorder.keep_iterations = false;
  run.cost.fixed = 0.0;
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(rate);
  double time = 0.0;
  for (int i = 0; i < kRequests; ++i) run.jobs.push_back({time += gap(random), 1, 1});
  return run;
}

struct Estimate {
  double mean = 0.0;
  double half_width = 0.0;  // of a 99.9 % confidence interval
};

// Batch means: correlated waiting times are averaged over long stretches, which are nearly
// independent (Law and Kelton, section 9.5).
Estimate waiting_time(const ServingRun& run) {
  constexpr std::size_t kBatches = 30;
  std::vector<double> waits(run.jobs.size());
  for (const RequestRecord& r : run.recorder.requests) {
    waits[static_cast<std::size_t>(r.id)] = to_seconds(r.scheduled - r.arrival);
  }
  const std::size_t warm_up = waits.size() / 20;
  const std::size_t length = (waits.size() - warm_up) / kBatches;
  std::vector<double> means;
  for (std::size_t b = 0; b < kBatches; ++b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < length; ++i) sum += waits[warm_up + b * length + i];
    means.push_back(sum / static_cast<double>(length));
  }
  Estimate estimate;
  for (const double mean : means) estimate.mean += mean / kBatches;
  double variance = 0.0;
  for (const double mean : means) variance += std::pow(mean - estimate.mean, 2) / (kBatches - 1);
  constexpr double kStudent = 3.659;  // 0.9995 quantile, 29 degrees of freedom
  estimate.half_width = kStudent * std::sqrt(variance / kBatches);
  return estimate;
}

TEST(Queueing, OneRequestAtATimeOfFixedLengthIsAnMD1Queue) {
  const double rate = 7.0;
  ServingRun run = single_server(rate, 1);
  run.cost.fixed = 0.1;
  run.cost.per_prefill_token = 0.0;
  run.execute();
  const double load = rate * 0.1;
  const Estimate wait = waiting_time(run);
  EXPECT_NEAR(wait.mean, load * 0.1 / (2 * (1 - load)), wait.half_width);
  EXPECT_LT(wait.half_width, 0.02) << "the interval must be able to fail";
  EXPECT_NEAR(run.metric("gpu.busy"), load, 0.01);
}

TEST(Queueing, OneRequestAtATimeOfExponentialLengthIsAnMM1Queue) {
  const double rate = 6.0;
  ServingRun run = single_server(rate, 2);
  run.cost.per_prefill_token = 1e-6;
  std::mt19937_64 random(22);
  std::exponential_distribution<double> length(1.0 / 100000.0);  // 0.1 s at 1 us a token
  for (Job& job : run.jobs) job.prompt = 1 + static_cast<std::int64_t>(length(random));
  run.execute();
  const double load = rate * 0.1;
  const Estimate wait = waiting_time(run);
  EXPECT_NEAR(wait.mean, load * 0.1 / (1 - load), wait.half_width);
  EXPECT_LT(wait.half_width, 0.04);
}

// When an iteration takes time in proportion to its sequences and everybody runs, each of n
// requests gets 1/n of the device: processor sharing, whose mean time in system is E[S]/(1 - load)
// whatever the distribution of lengths (Kleinrock 1976, 4.4).
TEST(Queueing, IterationsProportionalToTheirSequencesAreAnMG1ProcessorSharingQueue) {
  const double rate = 0.6;
  const double token_s = 0.001;
  ServingRun run("orca", 1'000'000);
  run.options.block_tokens = 10'000;
  run.options.fast_forward = true;
  run.recorder.keep_iterations = false;
  run.serving.mutable_scheduler()->set_max_sequences(1'000'000);
  run.serving.mutable_scheduler()->set_max_batched_tokens(1'000'000);
  run.cost.fixed = 0.0;
  run.cost.per_prefill_token = token_s;
  run.cost.per_decode = token_s;
  std::mt19937_64 random(3);
  std::exponential_distribution<double> gap(rate);
  double time = 0.0;
  double work = 0.0;
  for (int i = 0; i < 20000; ++i) {
    // Two kinds of requests, far apart: insensitivity is what is tested.
    const std::int64_t output = random() % 10 == 0 ? 5000 : 500;
    work += static_cast<double>(output) * token_s / 20000;
    run.jobs.push_back({time += gap(random), 1, output});
  }
  run.execute();
  double sum = 0.0;
  for (const RequestRecord& r : run.recorder.requests) sum += to_seconds(r.finished - r.arrival);
  const double mean = sum / static_cast<double>(run.jobs.size());
  const double load = static_cast<double>(run.jobs.size()) * work / time;
  EXPECT_NEAR(mean, work / (1 - load), 0.05 * work / (1 - load));
}

}  // namespace
}  // namespace orrery::sim::testing
