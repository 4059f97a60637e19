#include "sim/core/time.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::sim {
namespace {

TEST(ToDuration, RoundsToTheNearestNanosecondTiesToEven) {
  EXPECT_EQ(to_duration(1e-9), Duration{1});
  EXPECT_EQ(to_duration(2.5e-9), Duration{2});
  EXPECT_EQ(to_duration(3.5e-9), Duration{4});
  EXPECT_EQ(to_duration(1.0), Duration{1'000'000'000});
}

TEST(ToDuration, SaturatesAndTurnsNonsenseIntoZero) {
  EXPECT_EQ(to_duration(1e300), Duration::max());
  EXPECT_EQ(to_duration(INFINITY), Duration::max());
  EXPECT_EQ(to_duration(-1.0), Duration::zero());
  EXPECT_EQ(to_duration(std::nan("")), Duration::zero());
}

}  // namespace
}  // namespace orrery::sim
