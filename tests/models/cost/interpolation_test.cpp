#include "models/cost/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/cost/mixed_attention.hpp"

namespace orrery::models {
namespace {

TEST(LogCurve, IsExactAtThePointsAndFollowsPowerLawsBetween) {
  const LogCurve curve({{1, 3}, {10, 30}, {1000, 3000}});
  EXPECT_NEAR(curve.at(1), 3, 1e-12);
  EXPECT_NEAR(curve.at(10), 30, 1e-12);
  EXPECT_NEAR(curve.at(100), 300, 1e-9);
  EXPECT_NEAR(curve.at(2), 6, 1e-12);
}

TEST(LogCurve, IsFlatBelowAndBoundedBeyond) {
  const LogCurve steep({{1, 1}, {2, 16}});  // slope 4, more than any kernel grows
  EXPECT_DOUBLE_EQ(steep.at(0.1), 1);
  EXPECT_NEAR(steep.at(4), 32, 1e-9) << "in proportion";
  EXPECT_NEAR(steep.at(4, 2.0), 64, 1e-9) << "with the square";
  const LogCurve falling({{1, 8}, {2, 4}});
  EXPECT_NEAR(falling.at(100), 4, 1e-12) << "never below the last point";
  EXPECT_EQ(LogCurve().at(5), 0.0);
}

TEST(LogCurve, HandlesHostileSizes) {
  const LogCurve curve({{1, 3}, {10, 30}});
  for (const double size : {0.0, -5.0, std::nan(""), double{INFINITY}, 1e308}) {
    EXPECT_GT(curve.at(size), 0.0) << size;
  }
}

TEST(LogGrid, IsExactOnTheGridAndBilinearInLogarithmsBetween) {
  std::vector<LogGrid::Point> points;
  for (const double x : {1.0, 4.0, 16.0}) {
    for (const double y : {2.0, 8.0}) points.push_back({x, y, 5 * x * std::sqrt(y)});
  }
  const LogGrid grid(points);
  for (const LogGrid::Point& p : points) EXPECT_NEAR(grid.at(p.x, p.y), p.value, 1e-9);
  EXPECT_NEAR(grid.at(2, 4), 5 * 2 * 2, 1e-9);
  EXPECT_NEAR(grid.at(64, 8), 5 * 64 * std::sqrt(8.0), 1e-9) << "in proportion beyond the grid";
}

TEST(LogGrid, FillsGapsInProportion) {
  const LogGrid grid({{1, 1, 10}, {2, 1, 20}, {1, 2, 12}});  // (2, 2) is missing
  EXPECT_NEAR(grid.at(2, 2), 24, 1e-9);
}

TEST(MixedAttention, SeparatesNoChunkFromTheSmallestChunk) {
  ProfileTable table;
  table.keys = {"chunk", "chunk_context", "sequences", "context"};
  table.columns.resize(4);
  for (const std::int64_t chunk : {0, 16, 64}) {
    for (const std::int64_t cached : {0, 16}) {
      for (const std::int64_t sequences : {0, 1, 2}) {
        for (const std::int64_t context : {0, 16, 64}) {
          if ((chunk == 0 && cached > 0) || (sequences == 0) != (context == 0)) continue;
          if (chunk == 0 && sequences == 0) continue;
          const std::vector<std::int64_t> key{chunk, cached, sequences, context};
          for (std::size_t k = 0; k < 4; ++k) table.columns[k].push_back(key[k]);
          table.values.push_back(static_cast<double>(1 + 2 * chunk + cached + sequences * context));
        }
      }
    }
  }
  const MixedAttention attention(table);
  EXPECT_NEAR(attention.at(0, 0, 2, 64) * 1e6, 1 + 128, 1e-6);
  EXPECT_NEAR(attention.at(64, 16, 0, 0) * 1e6, 1 + 128 + 16, 1e-6);
  EXPECT_NEAR(attention.at(16, 0, 1, 16) * 1e6, 1 + 32 + 16, 1e-6);
  EXPECT_NEAR(attention.at(1, 0, 0, 0) * 1e6, 33, 1e-6) << "at least the smallest measured";
  EXPECT_NEAR(attention.at(0, 0, 1, 32) * 1e6, std::sqrt(17.0 * 65.0), 1e-6);
}

}  // namespace
}  // namespace orrery::models
