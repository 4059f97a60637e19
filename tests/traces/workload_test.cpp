// The changes that a workload makes to its source, and their order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "support.hpp"
#include "traces/warp.hpp"
#include "traces/workload_source.hpp"

namespace orrery::traces {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> times_of(const std::vector<Request>& requests) {
  std::vector<double> out;
  for (const Request& request : requests) out.push_back(seconds(request));
  return out;
}

std::vector<std::int64_t> prompts_of(const std::vector<Request>& requests) {
  std::vector<std::int64_t> out;
  for (const Request& request : requests) out.push_back(request.prompt_tokens);
  return out;
}

/// Ten requests at 0, 1, ..., 9 s with prompts of 1, 2, ..., 10 tokens.
class TenRequests : public testing::Test {
 protected:
  TenRequests() {
    std::string text = "arrival_s,prompt_tokens,output_tokens\n";
    for (int i = 0; i < 10; ++i) {
      text += std::to_string(i) + "," + std::to_string(i + 1) + ",5\n";
    }
    options_.mutable_trace()->set_path(folder_.write("ten.csv", text));
  }
  std::vector<Request> requests(std::uint64_t seed = 1) const {
    Drained all = drain(make_source(options_, seed));
    EXPECT_TRUE(all.faults.empty()) << to_string(all.faults);
    return std::move(all.requests);
  }
  std::string fault() const { return to_string(drain(make_source(options_, 1)).faults); }

  ScratchFolder folder_;
  config::Workload options_;
};

config::Workload azure() {
  config::Workload out;
  out.mutable_trace()->set_path("azure-conv-2023");
  return out;
}

TEST_F(TenRequests, ComeUnchangedByDefault) {
  EXPECT_THAT(times_of(requests()), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(TenRequests, AWindowHoldsItsStartAndNotItsEnd) {
  options_.set_start(3.0);
  options_.set_duration(4.0);
  EXPECT_THAT(prompts_of(requests()), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(times_of(requests()), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(requests()[0].id, 0);
}

TEST_F(TenRequests, AWindowBehindTheEndIsAFault) {
  options_.set_start(9.5);
  EXPECT_THAT(fault(), HasSubstr("leaves no request"));
}

TEST_F(TenRequests, AHugeWindowIsTheWholeTrace) {
  options_.set_duration(1e300);
  EXPECT_EQ(requests().size(), 10U);
}

TEST_F(TenRequests, RowsBehindLimitOrWindowAreNotRead) {
  options_.mutable_trace()->set_path(folder_.write(
      "bad.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,5\n1,2,5\n2,3,5\n3,bad,5\n"));
  EXPECT_THAT(fault(), HasSubstr("bad.csv:5:3"));
  options_.set_limit(3);
  EXPECT_EQ(requests().size(), 3U);
  options_.clear_limit();
  options_.set_duration(1.5);
  EXPECT_EQ(requests().size(), 2U);
}

TEST_F(TenRequests, RepeatsFollowOneMeanGapAfterTheLast) {
  options_.set_start(2.5);  // 3, 4, ..., 9: half a second into the window
  options_.set_limit(3);
  options_.set_repeat(3);
  EXPECT_THAT(times_of(requests()), ElementsAre(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5));
  EXPECT_THAT(prompts_of(requests()), ElementsAre(4, 5, 6, 4, 5, 6, 4, 5, 6));
  EXPECT_EQ(requests()[8].id, 8);
}

TEST_F(TenRequests, RateScaleHalvesGapsAtTwo) {
  options_.set_rate_scale(2.0);
  EXPECT_THAT(times_of(requests()), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5));
}

TEST_F(TenRequests, TimesBeyondTheRangeAreAFault) {
  options_.set_rate_scale(1e-12);
  EXPECT_THAT(fault(), HasSubstr("285 years"));
  options_.clear_rate_scale();
  options_.mutable_trace()->set_path(
      folder_.write("long.csv", "arrival_s,prompt_tokens,output_tokens\n0,1,1\n3e9,1,1\n"));
  options_.set_repeat(1'000'000);
  EXPECT_THAT(fault(), HasSubstr("285 years"));
}

TEST_F(TenRequests, ChangesApplyInTheOrderOfTheFields) {
  options_.set_start(1.0);
  options_.set_duration(8.0);  // prompts 2 to 9
  options_.set_sample(0.7);
  const std::vector<std::int64_t> sampled = prompts_of(requests());
  ASSERT_GE(sampled.size(), 3U);
  ASSERT_LT(sampled.size(), 8U);
  options_.set_limit(2);   // of the sample
  options_.set_repeat(2);  // of the limited
  options_.set_rate_scale(4.0);
  options_.set_max_prompt_tokens(sampled[1] - 1);
  const std::vector<Request> changed = requests();
  EXPECT_THAT(prompts_of(changed),
              ElementsAre(sampled[0], sampled[1] - 1, sampled[0], sampled[1] - 1));
  const auto first = static_cast<double>(sampled[0] - 2);
  const auto gap = static_cast<double>(sampled[1] - sampled[0]);
  // The pause of a repeat is the mean gap of what is played, then scaled with the rest.
  EXPECT_THAT(times_of(changed), ElementsAre(first / 4, (first + gap) / 4, (first + 2 * gap) / 4,
                                             (first + 3 * gap) / 4));
}

TEST_F(TenRequests, KnowHowManyWillCome) {
  config::Workload generated;
  generated.mutable_generate()->set_requests(50);
  generated.mutable_generate()->mutable_prompt()->set_fixed(1);
  generated.mutable_generate()->mutable_output()->set_fixed(1);
  generated.set_limit(20);
  generated.set_repeat(3);
  EXPECT_EQ((*make_source(generated, 1))->expected_requests(), 60);
  generated.set_sample(0.5);
  EXPECT_EQ((*make_source(generated, 1))->expected_requests(), -1);
  EXPECT_EQ((*make_source(options_, 1))->expected_requests(), -1);
}

TEST(Sample, KeepsTheShareWithinTheBinomialBound) {
  config::Workload options = azure();
  options.set_sample(0.2);
  constexpr double kAll = 19'366;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto kept = static_cast<double>(drain(make_source(options, seed)).requests.size());
    EXPECT_NEAR(kept, 0.2 * kAll, 4 * std::sqrt(kAll * 0.2 * 0.8));
  }
}

TEST(Sample, ChoosesTheSameRequestsAtAnyRate) {
  config::Workload options = azure();
  options.set_sample(0.1);
  const std::vector<Request> plain = drain(make_source(options, 9)).requests;
  options.set_rate_scale(3.0);
  options.set_warp_amplitude(0.5);
  EXPECT_EQ(prompts_of(drain(make_source(options, 9)).requests), prompts_of(plain));
  EXPECT_NE(prompts_of(drain(make_source(options, 10)).requests), prompts_of(plain));
}

TEST(Sample, OfASmallerShareIsPartOfALarger) {
  config::Workload options = azure();
  options.set_sample(0.1);
  std::set<std::int64_t> large;
  std::set<std::int64_t> small;
  for (const Request& request : drain(make_source(options, 9)).requests) {
    small.insert(request.arrival.count());
  }
  options.set_sample(0.3);
  for (const Request& request : drain(make_source(options, 9)).requests) {
    large.insert(request.arrival.count());
  }
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(Sample, KeepsConversationsWhole) {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(3000);
  generator.mutable_prompt()->set_fixed(10);
  generator.mutable_output()->set_fixed(10);
  generator.mutable_sessions()->set_turns(3);
  std::map<std::int64_t, int> all;
  for (const Request& request : drain(make_source(options, 1)).requests) ++all[request.session];
  options.set_sample(0.5);
  std::map<std::int64_t, int> kept;
  for (const Request& request : drain(make_source(options, 1)).requests) ++kept[request.session];
  for (const auto& [session, turns] : kept) EXPECT_EQ(turns, all[session]);
  const auto sessions = static_cast<double>(all.size());
  EXPECT_NEAR(static_cast<double>(kept.size()), sessions / 2, 4 * std::sqrt(sessions / 4));
}

TEST(Repeat, IsTheSameTrafficWithTheSameBlocks) {
  config::Workload options;
  options.mutable_trace()->set_path("mooncake-conversation");
  options.set_limit(100);
  options.set_repeat(2);
  const std::vector<Request> requests = drain(make_source(options, 1)).requests;
  ASSERT_EQ(requests.size(), 200U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(requests[i].block_hashes, requests[i + 100].block_hashes);
    EXPECT_EQ(requests[i].output_tokens, requests[i + 100].output_tokens);
  }
}

TEST(Repeat, OfAGeneratorPlaysTheSameDrawsAgain) {
  config::Workload options;
  options.mutable_generate()->set_requests(20);
  options.mutable_generate()->mutable_prompt()->mutable_lognormal()->set_mean(500);
  options.mutable_generate()->mutable_output()->set_fixed(1);
  options.set_repeat(2);
  const std::vector<std::int64_t> prompts = prompts_of(drain(make_source(options, 1)).requests);
  ASSERT_EQ(prompts.size(), 40U);
  EXPECT_TRUE(std::equal(prompts.begin(), prompts.begin() + 20, prompts.begin() + 20));
}

TEST(Warp, SolvesItsEquation) {
  for (const double amplitude : {0.01, 0.5, 0.99, 1.0}) {
    for (int i = 0; i <= 5000; ++i) {
      const double even = i * 0.0137;
      const double t = warped(even, amplitude, 10.0);
      const double swing = amplitude * 10.0 / (2.0 * std::numbers::pi);
      EXPECT_NEAR(t + swing * (1.0 - std::cos(2.0 * std::numbers::pi * t / 10.0)), even, 1e-10);
    }
  }
}

TEST(Warp, NeverTurnsTimeRoundAndKeepsWholePeriods) {
  double last = 0.0;
  for (int i = 0; i <= 200'000; ++i) {
    const double t = warped(i * 1e-4, 0.99, 2.0);
    EXPECT_GE(t, last - 1e-12);
    last = t;
  }
  EXPECT_NEAR(warped(20.0, 0.7, 2.0), 20.0, 1e-12);
  EXPECT_EQ(warped(5.0, 0.0, 2.0), 5.0);
  EXPECT_EQ(warped(5.0, 0.5, 1e-300), 5.0);
  EXPECT_EQ(warped(0.0, 1.0, 2.0), 0.0);
}

TEST(Warp, MovesEvenArrivalsToTheSwingingRate) {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(10'000);
  generator.mutable_arrivals()->set_process(config::Arrivals::deterministic);
  generator.mutable_arrivals()->set_rate(10.0);
  generator.mutable_prompt()->set_fixed(1);
  generator.mutable_output()->set_fixed(1);
  options.set_warp_amplitude(0.6);
  options.set_warp_period(100.0);
  int first_quarter = 0;
  for (const Request& request : drain(make_source(options, 1)).requests) {
    first_quarter += seconds(request) < 25.0 ? 1 : 0;
  }
  // 10 (25 + 0.6 * 100 / 2 pi) of the first 25 s.
  EXPECT_NEAR(first_quarter, 10.0 * (25.0 + 60.0 / (2.0 * std::numbers::pi)), 1.5);
}

Request request_of(std::int64_t prompt, std::int64_t output, std::size_t blocks,
                   std::int32_t block_tokens) {
  Request request;
  request.prompt_tokens = prompt;
  request.output_tokens = output;
  request.hash_block_tokens = block_tokens;
  for (std::size_t i = 0; i < blocks; ++i) request.block_hashes.push_back(i);
  return request;
}

TEST(ClipLengths, TakesFromThePromptBeforeTheOutput) {
  Request request = request_of(100, 20, 0, 0);
  clip_lengths(request, 0, 0, 50);
  EXPECT_EQ(request.prompt_tokens, 30);
  EXPECT_EQ(request.output_tokens, 20);
  request = request_of(100, 80, 0, 0);
  clip_lengths(request, 0, 0, 50);
  EXPECT_EQ(request.prompt_tokens, 1);
  EXPECT_EQ(request.output_tokens, 49);
  request = request_of(100, 80, 0, 0);
  clip_lengths(request, 10, 5, 50);
  EXPECT_EQ(request.prompt_tokens, 10);
  EXPECT_EQ(request.output_tokens, 5);
}

TEST(ClipLengths, DropsBlocksThatTheCutPromptNoLongerFills) {
  Request request = request_of(100, 20, 7, 16);
  clip_lengths(request, 40, 0, 0);
  EXPECT_THAT(request.block_hashes, ElementsAre(0, 1));
  request = request_of(100, 20, 7, 16);  // 7 blocks hold the prompt
  clip_lengths(request, 100, 0, 0);
  EXPECT_EQ(request.block_hashes.size(), 7U);
  request = request_of(100, 60, 10, 16);  // ids over the output, as sessions have them
  clip_lengths(request, 0, 20, 0);
  EXPECT_EQ(request.block_hashes.size(), 8U);  // (100 + 20) / 16, rounded up
}

}  // namespace
}  // namespace orrery::traces
