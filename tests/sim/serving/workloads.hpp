#pragma once
// Random lists of requests for property tests; the seed replays them.

#include <cstdint>
#include <random>
#include <vector>

#include "tests/sim/serving/serving_harness.hpp"

namespace orrery::sim::testing {

/// `count` requests with arrivals at about `rate` a second, prompts up to `longest_prompt` and
/// outputs up to `longest_output` tokens; a third share one of four prefixes of 4-token blocks.
inline std::vector<Job> random_jobs(std::uint32_t seed, int count, double rate,
                                    std::int64_t longest_prompt, std::int64_t longest_output) {
  std::mt19937 random(seed);
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<Job> jobs;
  double time = 0.0;
  for (int i = 0; i < count; ++i) {
    // Gaps of zero are frequent, so that simultaneous arrivals are covered.
    if (below(4) != 0) time += static_cast<double>(1 + below(2000)) / 1000.0 / rate;
    Job job{time, 1 + below(longest_prompt), 1 + below(longest_output)};
    if (below(3) == 0) {
      const auto group = static_cast<std::uint64_t>(below(4));
      job.hash_block_tokens = 4;
      for (std::int64_t block = 0; block < (job.prompt + 3) / 4; ++block) {
        const bool shared = block < 5;
        job.hashes.push_back(shared ? 1000 * group + static_cast<std::uint64_t>(block)
                                    : 1'000'000 + static_cast<std::uint64_t>(i * 1000 + block));
      }
    }
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace orrery::sim::testing
