// Generators against closed forms. Seeds are fixed; bounds are four standard errors or the 0.1 %
// level of the Kolmogorov-Smirnov statistic, 1.95 / sqrt(n).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "support.hpp"

namespace orrery::traces {
namespace {

using testing::HasSubstr;

config::Workload workload(std::int64_t requests, double rate) {
  config::Workload out;
  config::Generator& generator = *out.mutable_generate();
  generator.set_requests(requests);
  generator.mutable_arrivals()->set_rate(rate);
  generator.mutable_prompt()->set_fixed(100);
  generator.mutable_output()->set_fixed(10);
  return out;
}

std::vector<Request> generated(const config::Workload& options, std::uint64_t seed = 1) {
  Drained all = drain(make_source(options, seed));
  EXPECT_TRUE(all.faults.empty()) << to_string(all.faults);
  return std::move(all.requests);
}

std::vector<double> gaps_of(const std::vector<Request>& requests) {
  std::vector<double> gaps;
  double last = 0.0;
  for (const Request& request : requests) {
    gaps.push_back(seconds(request) - last);
    last = seconds(request);
  }
  return gaps;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double cv_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

double kolmogorov_smirnov(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    worst = std::max(
        {worst, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
  }
  return worst;
}

constexpr std::int64_t kMany = 20'000;
const double kCritical = 1.95 / std::sqrt(static_cast<double>(kMany));

TEST(PoissonArrivals, HaveExponentialGaps) {
  const std::vector<double> gaps = gaps_of(generated(workload(kMany, 5.0)));
  EXPECT_LT(kolmogorov_smirnov(gaps, [](double x) { return 1.0 - std::exp(-5.0 * x); }), kCritical);
  EXPECT_NEAR(mean_of(gaps), 0.2, 4 * 0.2 / std::sqrt(kMany));
}

TEST(GammaArrivals, HaveTheMeanAndVariationAskedFor) {
  config::Workload options = workload(kMany, 5.0);
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::gamma);
  options.mutable_generate()->mutable_arrivals()->set_cv(2.0);
  const std::vector<double> gaps = gaps_of(generated(options));
  EXPECT_NEAR(mean_of(gaps), 0.2, 4 * 0.4 / std::sqrt(kMany));
  // The standard error of a coefficient of variation, from the fourth moment of gamma(1/4).
  EXPECT_NEAR(cv_of(gaps), 2.0, 0.15);
}

TEST(GammaArrivals, OfVariationOneArePoisson) {
  config::Workload options = workload(kMany, 5.0);
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::gamma);
  options.mutable_generate()->mutable_arrivals()->set_cv(1.0);
  EXPECT_LT(kolmogorov_smirnov(gaps_of(generated(options)),
                               [](double x) { return 1.0 - std::exp(-5.0 * x); }),
            kCritical);
}

TEST(DeterministicArrivals, DoNotDrift) {
  config::Workload options = workload(30'000, 3.0);
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::deterministic);
  const std::vector<Request> requests = generated(options);
  EXPECT_EQ(requests[0].arrival.count(), 333'333'333);
  EXPECT_EQ(requests[2].arrival.count(), 1'000'000'000);
  EXPECT_EQ(requests[29'999].arrival.count(), 10'000'000'000'000);
}

TEST(DiurnalArrivals, ArePoissonInEvenTime) {
  config::Workload options = workload(kMany, 5.0);
  config::Arrivals& arrivals = *options.mutable_generate()->mutable_arrivals();
  arrivals.set_process(config::Arrivals::diurnal);
  arrivals.set_amplitude(0.8);
  arrivals.set_period(100.0);
  const std::vector<Request> requests = generated(options);
  // The integral of the rate maps the arrivals to a homogeneous process.
  std::vector<double> gaps;
  double last = 0.0;
  std::size_t first_halves = 0;
  for (const Request& request : requests) {
    const double t = seconds(request);
    const double phase = 2.0 * std::numbers::pi * t / 100.0;
    const double even = t + 0.8 * 100.0 / (2.0 * std::numbers::pi) * (1.0 - std::cos(phase));
    gaps.push_back(even - last);
    last = even;
    if (std::fmod(t, 100.0) < 50.0) ++first_halves;
  }
  EXPECT_LT(kolmogorov_smirnov(gaps, [](double x) { return 1.0 - std::exp(-5.0 * x); }), kCritical);
  // Over half a period the rate integrates to 1/2 + a/pi of the whole.
  EXPECT_NEAR(static_cast<double>(first_halves) / kMany, 0.5 + 0.8 / std::numbers::pi,
              4 * 0.5 / std::sqrt(kMany));
}

TEST(AtOnceArrivals, AreAllAtZero) {
  config::Workload options = workload(100, 5.0);
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::at_once);
  for (const Request& request : generated(options)) EXPECT_EQ(request.arrival.count(), 0);
}

TEST(Lengths, LognormalHasTheMeanAndVariationAskedFor) {
  config::Workload options = workload(kMany, 5.0);
  config::Lognormal& law = *options.mutable_generate()->mutable_prompt()->mutable_lognormal();
  law.set_mean(1000.0);
  law.set_cv(0.5);
  std::vector<double> lengths;
  for (const Request& request : generated(options)) {
    lengths.push_back(static_cast<double>(request.prompt_tokens));
  }
  EXPECT_NEAR(mean_of(lengths), 1000.0, 4 * 500.0 / std::sqrt(kMany));
  EXPECT_NEAR(cv_of(lengths), 0.5, 0.02);
  // The logarithm is normal with variance log(1 + cv^2).
  const double sigma = std::sqrt(std::log(1.25));
  const double mu = std::log(1000.0) - sigma * sigma / 2.0;
  EXPECT_LT(kolmogorov_smirnov(lengths,
                               [&](double x) {
                                 const double z = (std::log(x) - mu) / sigma;
                                 return 0.5 * std::erfc(-z / std::numbers::sqrt2);
                               }),
            kCritical + 0.002);  // lengths are whole
}

TEST(Lengths, UniformReachesBothEndsAlike) {
  config::Workload options = workload(kMany, 5.0);
  config::Uniform& law = *options.mutable_generate()->mutable_output()->mutable_uniform();
  law.set_low(3);
  law.set_high(7);
  std::map<std::int64_t, int> counts;
  for (const Request& request : generated(options)) ++counts[request.output_tokens];
  ASSERT_EQ(counts.size(), 5U);
  for (std::int64_t tokens = 3; tokens <= 7; ++tokens) {
    EXPECT_NEAR(counts[tokens], kMany / 5.0, 4 * std::sqrt(kMany * 0.2 * 0.8));
  }
}

TEST(Lengths, AreRaisedAndCutToTheirBounds) {
  config::Workload options = workload(1000, 5.0);
  config::Lengths& prompt = *options.mutable_generate()->mutable_prompt();
  prompt.mutable_lognormal()->set_mean(100.0);
  prompt.set_min(90);
  prompt.set_max(110);
  std::set<std::int64_t> seen;
  for (const Request& request : generated(options)) seen.insert(request.prompt_tokens);
  EXPECT_EQ(*seen.begin(), 90);
  EXPECT_EQ(*seen.rbegin(), 110);
}

TEST(Lengths, EmpiricalOccurAsOftenAsInTheTrace) {
  ScratchFolder folder;
  const std::string path = folder.write(
      "t.csv", "arrival_s,prompt_tokens,output_tokens\n0,7,1\n0,7,1\n0,7,2\n0,2000000,3\n");
  config::Workload options = workload(kMany, 5.0);
  options.mutable_generate()->mutable_prompt()->mutable_empirical()->set_trace(path);
  options.mutable_generate()->mutable_output()->mutable_empirical()->set_trace(path);
  std::map<std::int64_t, int> prompts;
  std::map<std::int64_t, int> outputs;
  for (const Request& request : generated(options)) {
    ++prompts[request.prompt_tokens];
    ++outputs[request.output_tokens];
  }
  const double bound = 4 * std::sqrt(kMany * 0.25 * 0.75);
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_NEAR(prompts[7], kMany * 0.75, bound);
  EXPECT_NEAR(prompts[2'000'000], kMany * 0.25, bound);
  EXPECT_NEAR(outputs[1], kMany * 0.5, 4 * std::sqrt(kMany * 0.25));
  EXPECT_NEAR(outputs[3], kMany * 0.25, bound);
}

TEST(Lengths, AWrongTraceIsAFaultBeforeAnyRequest) {
  config::Workload options = workload(10, 5.0);
  options.mutable_generate()->mutable_prompt()->mutable_empirical()->set_trace("no-such-trace");
  EXPECT_FALSE(make_source(options, 1).ok());
}

TEST(Streams, AQuantityDoesNotDependOnTheLawsOfOthers) {
  config::Workload options = workload(500, 5.0);
  options.mutable_generate()->mutable_prompt()->mutable_lognormal()->set_mean(100.0);
  const std::vector<Request> base = generated(options);

  config::Workload other = options;
  other.mutable_generate()->mutable_output()->mutable_lognormal()->set_mean(50.0);
  other.mutable_generate()->mutable_shared_prefixes()->mutable_length()->set_fixed(32);
  const std::vector<Request> with_outputs = generated(other);
  other = options;
  other.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::gamma);
  const std::vector<Request> with_arrivals = generated(other);
  for (std::size_t i = 0; i < base.size(); ++i) {
    EXPECT_EQ(with_outputs[i].arrival, base[i].arrival);
    EXPECT_EQ(with_outputs[i].prompt_tokens, base[i].prompt_tokens + 32);
    EXPECT_EQ(with_arrivals[i].prompt_tokens, base[i].prompt_tokens);
    EXPECT_EQ(with_arrivals[i].output_tokens, base[i].output_tokens);
  }
}

TEST(Streams, TheSeedDecidesEverything) {
  const config::Workload options = workload(100, 5.0);
  EXPECT_TRUE(equal(generated(options, 3), generated(options, 3)));
  EXPECT_FALSE(equal(generated(options, 3), generated(options, 4)));
}

config::Workload with_prefixes(std::int64_t requests, std::int64_t groups) {
  config::Workload options = workload(requests, 5.0);
  config::SharedPrefixes& prefixes = *options.mutable_generate()->mutable_shared_prefixes();
  prefixes.set_groups(groups);
  prefixes.mutable_length()->set_fixed(50);  // three full blocks of 16, and two tokens
  return options;
}

std::size_t common_blocks(const Request& a, const Request& b) {
  std::size_t count = 0;
  while (count < a.block_hashes.size() && count < b.block_hashes.size() &&
         a.block_hashes[count] == b.block_hashes[count]) {
    ++count;
  }
  return count;
}

TEST(SharedPrefixes, AreSharedWithinAGroupAndNowhereElse) {
  const std::vector<Request> requests = generated(with_prefixes(300, 7));
  std::map<std::uint64_t, int> owners;  // how many requests hold a block
  for (const Request& request : requests) {
    EXPECT_EQ(request.prompt_tokens, 150);
    EXPECT_EQ(request.hash_block_tokens, 16);
    ASSERT_EQ(request.block_hashes.size(), 9U);  // 150 / 16
    for (const std::uint64_t id : request.block_hashes) ++owners[id];
  }
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = i + 1; j < 40; ++j) {
      const std::size_t common = common_blocks(requests[i], requests[j]);
      EXPECT_TRUE(common == 0 || common == 3) << common;
    }
  }
  const auto shared =
      std::count_if(owners.begin(), owners.end(), [](const auto& each) { return each.second > 1; });
  EXPECT_EQ(shared, 7 * 3);
}

TEST(SharedPrefixes, AsManyGroupsAppearAsChanceLets) {
  constexpr std::int64_t kRequests = 1000;
  constexpr int kGroups = 500;
  for (const double exponent : {0.0, 1.0}) {
    config::Workload options = with_prefixes(kRequests, kGroups);
    options.mutable_generate()->mutable_shared_prefixes()->set_zipf(exponent);
    std::set<std::uint64_t> first_blocks;
    for (const Request& request : generated(options)) {
      first_blocks.insert(request.block_hashes.front());
    }
    double weights = 0.0;
    for (int k = 1; k <= kGroups; ++k) weights += std::pow(k, -exponent);
    double expected = 0.0;
    for (int k = 1; k <= kGroups; ++k) {
      expected += 1.0 - std::pow(1.0 - std::pow(k, -exponent) / weights, kRequests);
    }
    // The variance of an occupancy is below that of independent groups: at most a quarter each.
    EXPECT_NEAR(static_cast<double>(first_blocks.size()), expected, 2 * std::sqrt(kGroups / 4.0));
  }
}

TEST(SharedPrefixes, OnlyTheShareAskedForUsesThem) {
  config::Workload options = with_prefixes(kMany, 1);
  options.mutable_generate()->mutable_shared_prefixes()->set_share(0.3);
  int with = 0;
  for (const Request& request : generated(options)) with += request.prompt_tokens == 150 ? 1 : 0;
  EXPECT_NEAR(with, kMany * 0.3, 4 * std::sqrt(kMany * 0.3 * 0.7));
}

TEST(SharedPrefixes, AGroupsLengthIsItsOwn) {
  config::Workload options = with_prefixes(400, 5);
  config::SharedPrefixes& prefixes = *options.mutable_generate()->mutable_shared_prefixes();
  prefixes.mutable_length()->mutable_uniform()->set_low(16);
  prefixes.mutable_length()->mutable_uniform()->set_high(1600);
  std::map<std::uint64_t, std::set<std::int64_t>> lengths;
  for (const Request& request : generated(options)) {
    lengths[request.block_hashes.front()].insert(request.prompt_tokens);
  }
  EXPECT_EQ(lengths.size(), 5U);
  for (const auto& [group, of_group] : lengths) EXPECT_EQ(of_group.size(), 1U) << group;
}

config::Workload with_sessions(std::int64_t requests, double turns) {
  config::Workload options = workload(requests, 20.0);
  options.mutable_generate()->mutable_sessions()->set_turns(turns);
  options.mutable_generate()->mutable_sessions()->set_think_time(5.0);
  return options;
}

TEST(Sessions, EachPromptHoldsTheTurnsBeforeAndTheirBlocks) {
  const std::vector<Request> requests = generated(with_sessions(2000, 4.0));
  ASSERT_EQ(requests.size(), 2000U);
  std::map<std::int64_t, Request> last;
  for (const Request& request : requests) {
    const auto before = last.find(request.session);
    if (before == last.end()) {
      EXPECT_EQ(request.turn, 0);
      EXPECT_EQ(request.prompt_tokens, 100);
    } else {
      const Request& earlier = before->second;
      EXPECT_EQ(request.turn, earlier.turn + 1);
      EXPECT_EQ(request.prompt_tokens, earlier.prompt_tokens + earlier.output_tokens + 100);
      EXPECT_EQ(common_blocks(request, earlier), earlier.block_hashes.size());
      EXPECT_GE(request.arrival, earlier.arrival);
    }
    // Ids go on over the answer.
    EXPECT_EQ(static_cast<std::int64_t>(request.block_hashes.size()),
              (request.prompt_tokens + request.output_tokens) / 16);
    last[request.session] = request;
  }
}

TEST(Sessions, ComeInOrderOfTimeWithGeometricTurns) {
  const std::vector<Request> requests = generated(with_sessions(kMany, 4.0));
  std::map<std::int64_t, int> turns;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].id, static_cast<std::int64_t>(i));
    EXPECT_GE(requests[i].arrival, requests[i > 0 ? i - 1 : 0].arrival);
    ++turns[requests[i].session];
  }
  const auto sessions = static_cast<double>(turns.size());
  // A geometric law of mean m has the standard deviation sqrt(m (m - 1)).
  EXPECT_NEAR(kMany / sessions, 4.0, 4 * std::sqrt(12.0) / std::sqrt(sessions));
  int single = 0;
  for (const auto& [session, count] : turns) single += count == 1 ? 1 : 0;
  EXPECT_NEAR(single / sessions, 0.25, 4 * std::sqrt(0.25 * 0.75 / sessions));
}

TEST(Sessions, KeepTheRateOfRequests) {
  const std::vector<Request> requests = generated(with_sessions(kMany, 4.0));
  // Between the rise at the start and the fall at the end: 20 requests a second in sessions of 4.
  int inside = 0;
  for (const Request& request : requests) {
    inside += seconds(request) >= 100.0 && seconds(request) < 900.0 ? 1 : 0;
  }
  EXPECT_NEAR(inside / 800.0, 20.0, 1.2);
}

TEST(Sessions, TheSameTurnDrawsTheSameWhateverTheThinkTime) {
  config::Workload options = with_sessions(500, 3.0);
  options.mutable_generate()->mutable_prompt()->mutable_lognormal()->set_mean(100.0);
  const std::vector<Request> slow = generated(options);
  options.mutable_generate()->mutable_sessions()->set_think_time(0.0);
  const std::vector<Request> fast = generated(options);
  std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> prompts;
  for (const Request& request : slow) {
    prompts[{request.session, request.turn}] = request.prompt_tokens;
  }
  for (const Request& request : fast) {
    const std::pair key(request.session, request.turn);
    EXPECT_EQ(prompts.at(key), request.prompt_tokens);
  }
}

TEST(Sessions, OfAGroupShareItsPrefix) {
  config::Workload options = with_sessions(200, 2.0);
  config::SharedPrefixes& prefixes = *options.mutable_generate()->mutable_shared_prefixes();
  prefixes.mutable_length()->set_fixed(64);
  const std::vector<Request> requests = generated(options);
  for (const Request& request : requests) {
    const std::size_t expected = request.session == requests[0].session ? 10U : 4U;
    EXPECT_EQ(common_blocks(request, requests[0]), expected);
  }
}

TEST(Sessions, StartingAllAtOnceComeToAnEnd) {
  config::Workload options = with_sessions(1000, 4.0);
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::at_once);
  EXPECT_EQ(generated(options).size(), 1000U);
}

// Options that a person can type, far from anything sensible: a fault or a workload, soon.
TEST(Extremes, TimesBeyondTheRangeAreAFault) {
  config::Workload options = workload(10, 1e-300);
  EXPECT_THAT(to_string(drain(make_source(options, 1)).faults), HasSubstr("285 years"));
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::gamma);
  EXPECT_THAT(to_string(drain(make_source(options, 1)).faults), HasSubstr("285 years"));
  options.mutable_generate()->mutable_arrivals()->set_process(config::Arrivals::diurnal);
  options.mutable_generate()->mutable_arrivals()->set_amplitude(1.0);
  EXPECT_THAT(to_string(drain(make_source(options, 1)).faults), HasSubstr("285 years"));
  options = with_sessions(100, 50.0);
  options.mutable_generate()->mutable_sessions()->set_think_time(1e308);
  EXPECT_THAT(to_string(drain(make_source(options, 1)).faults), HasSubstr("285 years"));
}

TEST(Extremes, AreSurvived) {
  config::Workload options = workload(1000, 1e300);
  config::Arrivals& arrivals = *options.mutable_generate()->mutable_arrivals();
  EXPECT_EQ(generated(options).size(), 1000U);
  arrivals.set_process(config::Arrivals::diurnal);
  arrivals.set_amplitude(1.0);
  for (const double period : {1e-320, 1e-9, 1e300}) {
    arrivals.set_period(period);
    arrivals.set_rate(5.0);
    EXPECT_EQ(generated(options).size(), 1000U) << period;
  }
  arrivals.set_process(config::Arrivals::gamma);
  for (const double cv : {1e-3, 1000.0}) {
    arrivals.set_cv(cv);
    EXPECT_EQ(generated(options).size(), 1000U) << cv;
  }
  options.mutable_generate()->mutable_prompt()->mutable_lognormal()->set_mean(1e8);
  options.mutable_generate()->mutable_prompt()->mutable_lognormal()->set_cv(1000.0);
  for (const Request& request : generated(options)) {
    EXPECT_GE(request.prompt_tokens, 1);
    EXPECT_LE(request.prompt_tokens, kMostTokens);
  }
}

TEST(Extremes, TheIdsOfOneRequestAreBounded) {
  config::Workload options = with_sessions(20, 100'000.0);
  options.mutable_generate()->mutable_prompt()->set_fixed(100'000'000);
  for (const Request& request : generated(options)) {
    EXPECT_LE(request.block_hashes.size(), std::size_t{1} << 20U);
    EXPECT_LE(request.prompt_tokens, kMostTokens);
  }
}

TEST(Options, OutOfRangeAreAllNamedAtOnce) {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(0);
  generator.mutable_arrivals()->set_rate(std::nan(""));
  generator.mutable_arrivals()->set_amplitude(2.0);
  generator.mutable_prompt()->set_fixed(-5);
  generator.mutable_output()->mutable_lognormal()->set_mean(-1.0);
  generator.mutable_sessions()->set_turns(0.5);
  generator.mutable_shared_prefixes()->set_groups(0);
  options.set_sample(0.0);
  options.set_repeat(-1);
  options.set_warp_period(std::numeric_limits<double>::infinity());
  const auto source = make_source(options, 1);
  ASSERT_FALSE(source.ok());
  std::set<std::string> fields;
  for (const Diagnostic& fault : source.faults()) fields.insert(fault.field);
  EXPECT_THAT(fields, testing::IsSupersetOf({
                          "workload.generate.requests",
                          "workload.generate.arrivals.rate",
                          "workload.generate.arrivals.amplitude",
                          "workload.generate.prompt.fixed",
                          "workload.generate.output.lognormal.mean",
                          "workload.generate.sessions.turns",
                          "workload.generate.shared_prefixes.groups",
                          "workload.sample",
                          "workload.repeat",
                          "workload.warp_period",
                      }));
}

TEST(Options, LawsThatContradictThemselvesAreFaults) {
  config::Workload options = workload(10, 5.0);
  options.mutable_generate()->mutable_prompt()->mutable_uniform()->set_low(9);
  options.mutable_generate()->mutable_prompt()->mutable_uniform()->set_high(8);
  options.mutable_generate()->mutable_output()->set_min(5);
  options.mutable_generate()->mutable_output()->set_max(4);
  const auto source = make_source(options, 1);
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.faults().size(), 2U) << to_string(source.faults());
  EXPECT_FALSE(make_source(config::Workload(), 1).ok());
}

}  // namespace
}  // namespace orrery::traces
