#include "sim/core/stats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace orrery::sim {
namespace {

// As NumPy's default: linear interpolation at position q (n - 1).
double plain_quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const double rest = position - static_cast<double>(low);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + rest * (values[high] - values[low]);
}

TEST(Distribution, GivesExactQuantilesMomentsAndBounds) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> law(0.0, 2.0);
  std::vector<double> values;
  Distribution distribution;
  for (int i = 0; i < 20000; ++i) {
    const double value = law(random);
    const std::uint64_t times = 1 + random() % 3;
    distribution.add(value, times);
    for (std::uint64_t k = 0; k < times; ++k) values.push_back(value);
  }
  EXPECT_EQ(distribution.count(), values.size());
  for (const double q : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.9999, 1.0}) {
    EXPECT_DOUBLE_EQ(distribution.quantile(q), plain_quantile(values, q)) << q;
  }
  EXPECT_EQ(distribution.quantile_error(), 0.0);
  EXPECT_EQ(distribution.max(), *std::max_element(values.begin(), values.end()));
  double sum = 0.0;
  for (const double value : values) sum += value;
  EXPECT_NEAR(distribution.mean(), sum / static_cast<double>(values.size()), 1e-9);
}

TEST(Distribution, TheSketchKeepsItsStatedError) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> law(10.0, 3.0);
  std::vector<double> values;
  Distribution sketch(100);
  for (int i = 0; i < 50000; ++i) {
    values.push_back(i % 10 == 0 ? -law(random) : i % 10 == 1 ? 0.0 : law(random));
    sketch.add(values.back());
  }
  EXPECT_EQ(sketch.quantile_error(), Distribution::kSketchError);
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.05, 0.15, 0.3, 0.5, 0.9, 0.99, 0.999}) {
    // Compared at whole ranks, where interpolation plays no part.
    const double rank = std::floor(q * 49999.0);
    const double truth = values[static_cast<std::size_t>(rank)];
    EXPECT_NEAR(sketch.quantile(rank / 49999.0), truth,
                std::abs(truth) * 1.02 * Distribution::kSketchError + 1e-12)
        << q;
  }
}

TEST(Distribution, ExactAndSketchedCountsMerge) {
  Distribution exact;
  Distribution sketched(10);
  for (int i = 1; i <= 1000; ++i) {
    exact.add(i);
    sketched.add(1000 + i);
  }
  Distribution both = exact;
  both.merge(sketched);
  EXPECT_EQ(both.count(), 2000U);
  EXPECT_NEAR(both.quantile(0.25), 500, 2);
  EXPECT_NEAR(both.quantile(0.75), 1500, 4);
  EXPECT_NEAR(both.mean(), 1000.5, 1e-9);
}

TEST(Distribution, HostileValuesDoNotPoisonIt) {
  for (const std::size_t exact : {std::size_t{1000}, std::size_t{2}}) {
    Distribution distribution(exact);
    distribution.add(std::nan(""), 5);
    EXPECT_EQ(distribution.count(), 0U);
    EXPECT_EQ(distribution.not_a_number(), 5U);
    EXPECT_EQ(distribution.mean(), 0.0);
    EXPECT_EQ(distribution.quantile(0.5), 0.0);
    for (const double value : {0.0, -0.0, 1e-308, -1e300, 1e300, 5.0}) distribution.add(value);
    distribution.add(7.0, 0);
    EXPECT_EQ(distribution.count(), 6U);
    EXPECT_EQ(distribution.quantile(2.0), 1e300);
    EXPECT_EQ(distribution.quantile(-1.0), -1e300);
    EXPECT_EQ(distribution.quantile(std::nan("")), -1e300);
    EXPECT_FALSE(std::isnan(distribution.quantile(0.5)));
  }
}

TEST(CompensatedSum, KeepsSmallTermsBesideLargeOnes) {
  CompensatedSum sum;
  sum.add(1e16);
  for (int i = 0; i < 1000; ++i) sum.add(1.0);
  sum.add(-1e16);
  EXPECT_DOUBLE_EQ(sum.value(), 1000.0);
}

}  // namespace
}  // namespace orrery::sim
