#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include "cli/terminal.hpp"

namespace orrery::cli {
namespace {

TEST(ProgressLine, ShowsShareRateAndTimeLeft) {
  // 2,500 of 10,000 in 2 s: 1,250 a second, so 6 s are left.
  EXPECT_EQ(progress_line({2500, 10000, sim::kTimeZero}, 2.0, 200),
            "[######------------------]  25 %  2,500 of 10,000 requests  1 k/s  6 s left");
}

TEST(ProgressLine, CountsWhereTheTotalIsNotKnown) {
  EXPECT_EQ(progress_line({2500, -1, sim::kTimeZero}, 10.0, 200), "2,500 requests  250 /s");
}

TEST(ProgressLine, StaysWithinTheWidthAndSurvivesOddNumbers) {
  for (std::size_t width = 1; width < 90; ++width) {
    EXPECT_LE(display_width(progress_line({2500, 10000, sim::kTimeZero}, 2.0, width)), width);
  }
  // The bar gives way before the text does.
  EXPECT_EQ(progress_line({2500, 10000, sim::kTimeZero}, 2.0, 59),
            "[##------]  25 %  2,500 of 10,000 requests  1 k/s  6 s left");
  EXPECT_EQ(progress_line({2500, 10000, sim::kTimeZero}, 2.0, 50),
            " 25 %  2,500 of 10,000 requests  1 k/s  6 s left");
  EXPECT_EQ(progress_line({0, 0, sim::kTimeZero}, 0.0, 200), "0 requests  0 /s");
  EXPECT_EQ(progress_line({0, 5, sim::kTimeZero}, 0.0, 200),
            "[------------------------]   0 %  0 of 5 requests  0 /s");
  // More than announced: never beyond 100 %.
  EXPECT_EQ(progress_line({6, 5, sim::kTimeZero}, 1.0, 200),
            "[########################] 100 %  6 of 5 requests  6 /s  0 s left");
}

}  // namespace
}  // namespace orrery::cli
