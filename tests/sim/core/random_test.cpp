#include "sim/core/random.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace orrery::sim {
namespace {

constexpr int kDraws = 200000;

std::vector<double> sample(const std::function<double(RandomStream&)>& draw,
                           const char* name = "t") {
  RandomStream random(42, name);
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(random);
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Largest distance between the empirical and the true distribution function, times root n; above
// 1.95 with probability 0.001 when the law is right (Kolmogorov).
double kolmogorov(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double truth = cdf(values[i]);
    distance = std::max({distance, std::abs(truth - static_cast<double>(i) / n),
                         std::abs(truth - static_cast<double>(i + 1) / n)});
  }
  return distance * std::sqrt(n);
}

TEST(RandomStream, DependsOnSeedAndNameOnly) {
  RandomStream a(1, "arrivals");
  RandomStream b(1, "arrivals");
  RandomStream other_name(1, "failures/node-3");
  RandomStream other_seed(2, "arrivals");
  int same_name = 0;
  int same_seed = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = a.bits();
    EXPECT_EQ(bits, b.bits());
    same_name += bits == other_name.bits() ? 1 : 0;
    same_seed += bits == other_seed.bits() ? 1 : 0;
  }
  EXPECT_EQ(same_name + same_seed, 0);
}

TEST(RandomStream, IsPhiloxKeyedBySeedAndNameCountingBlocks) {
  std::uint64_t name = 0xcbf29ce484222325ULL;  // FNV-1a of "arrivals"
  for (const char c : std::string("arrivals")) {
    name = (name ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  RandomStream random(7, "arrivals");
  for (std::uint64_t block = 0; block < 3; ++block) {
    const r123::Philox4x64::ctr_type drawn = r123::Philox4x64()(
        r123::Philox4x64::ctr_type{{block, 0, 0, 0}}, r123::Philox4x64::key_type{{7, name}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(random.bits(), drawn[i]);
  }
}

TEST(RandomStream, ChildrenDoNotDependOnWhatWasDrawn) {
  RandomStream parent(3, "requests");
  const std::uint64_t before = parent.split(17).bits();
  for (int i = 0; i < 100; ++i) parent.bits();
  EXPECT_EQ(parent.split(17).bits(), before);
  EXPECT_NE(parent.split(18).bits(), before);
}

TEST(RandomStream, UniformPassesKolmogorov) {
  EXPECT_LT(
      kolmogorov(sample([](RandomStream& r) { return r.uniform(); }), [](double x) { return x; }),
      1.95);
}

TEST(RandomStream, ExponentialPassesKolmogorov) {
  EXPECT_LT(kolmogorov(sample([](RandomStream& r) { return r.exponential(3.0); }),
                       [](double x) { return 1.0 - std::exp(-x / 3.0); }),
            1.95);
}

TEST(RandomStream, NormalPassesKolmogorov) {
  EXPECT_LT(kolmogorov(sample([](RandomStream& r) { return r.normal(); }),
                       [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            1.95);
}

TEST(RandomStream, WeibullPassesKolmogorov) {
  EXPECT_LT(kolmogorov(sample([](RandomStream& r) { return r.weibull(0.7, 2.0); }),
                       [](double x) { return 1.0 - std::exp(-std::pow(x / 2.0, 0.7)); }),
            1.95);
}

TEST(RandomStream, GammaHasTheMomentsOfItsShape) {
  for (const double shape : {0.04, 0.5, 1.0, 4.5, 100.0}) {
    const auto values = sample([shape](RandomStream& r) { return r.gamma(shape, 2.0); });
    // Standard error of the mean: deviation / root n; five of them.
    const double deviation = std::sqrt(shape) * 2.0;
    EXPECT_NEAR(mean_of(values), shape * 2.0, 5 * deviation / std::sqrt(kDraws)) << shape;
    EXPECT_NEAR(deviation_of(values) / deviation, 1.0, 0.05) << shape;
  }
}

TEST(RandomStream, LognormalHasTheMeanAndVariationThatWereAskedFor) {
  const auto values = sample([](RandomStream& r) { return r.lognormal(100.0, 0.5); });
  EXPECT_NEAR(mean_of(values), 100.0, 5 * 50.0 / std::sqrt(kDraws));
  EXPECT_NEAR(deviation_of(values), 50.0, 1.5);
  RandomStream random(1, "fixed");
  EXPECT_DOUBLE_EQ(random.lognormal(7.0, 0.0), 7.0);
}

TEST(RandomStream, GeometricCountsFromOne) {
  const auto values = sample([](RandomStream& r) { return static_cast<double>(r.geometric(4.0)); });
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), 1.0);
  EXPECT_NEAR(mean_of(values), 4.0, 5 * std::sqrt(12.0) / std::sqrt(kDraws));
  RandomStream random(1, "one");
  EXPECT_EQ(random.geometric(1.0), 1);
}

TEST(RandomStream, BelowIsUniformByChiSquare) {
  std::vector<double> counts(7, 0.0);
  RandomStream random(5, "below");
  for (int i = 0; i < kDraws; ++i) counts[random.below(7)] += 1.0;
  double chi_square = 0.0;
  for (const double count : counts)
    chi_square += std::pow(count - kDraws / 7.0, 2) / (kDraws / 7.0);
  EXPECT_LT(chi_square, 22.46) << "0.999 quantile, 6 degrees of freedom";
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_LT(random.below(~0ULL), ~0ULL);
}

TEST(RandomStream, ZipfHasTheProbabilitiesOfItsExponent) {
  for (const double exponent : {0.0, 0.6, 1.0, 1.7}) {
    constexpr std::uint64_t kRanks = 10;
    std::vector<double> counts(kRanks, 0.0);
    RandomStream random(9, "zipf");
    for (int i = 0; i < kDraws; ++i) counts[random.zipf(kRanks, exponent)] += 1.0;
    double total = 0.0;
    for (std::uint64_t k = 1; k <= kRanks; ++k)
      total += std::pow(static_cast<double>(k), -exponent);
    double chi_square = 0.0;
    for (std::uint64_t k = 1; k <= kRanks; ++k) {
      const double expected = kDraws * std::pow(static_cast<double>(k), -exponent) / total;
      chi_square += std::pow(counts[k - 1] - expected, 2) / expected;
    }
    EXPECT_LT(chi_square, 27.88) << exponent << ": 0.999 quantile, 9 degrees of freedom";
  }
  RandomStream random(1, "one");
  EXPECT_EQ(random.zipf(1, 2.0), 0U);
}

}  // namespace
}  // namespace orrery::sim
