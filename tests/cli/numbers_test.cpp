#include "cli/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace orrery::cli {
namespace {

TEST(Grouped, PutsACommaAtEveryThousand) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Rounded, KeepsAboutFourDigits) {
  EXPECT_EQ(rounded(0.0123456), "0.01235");
  EXPECT_EQ(rounded(12345.6), "12,346");
  EXPECT_EQ(rounded(1e300), "1e+300");
  EXPECT_EQ(rounded(std::nan("")), "-");
}

TEST(MetricText, ShowsTheUnitOfTheContract) {
  EXPECT_EQ(metric_text(0.4567, "1"), "45.67 %");
  EXPECT_EQ(metric_text(19366, "count"), "19,366");
  EXPECT_EQ(metric_text(5.5, "1/s"), "5.5 /s");
  EXPECT_EQ(metric_text(0.25, "USD"), "$0.25");
  EXPECT_EQ(metric_text(3.0, "tokens/s"), "3 tokens/s");
  EXPECT_EQ(metric_text(std::numeric_limits<double>::infinity(), "s"), "-");
}

}  // namespace
}  // namespace orrery::cli
