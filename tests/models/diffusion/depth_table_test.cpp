#include "models/diffusion/depth_table.hpp"

#include <gtest/gtest.h>

#include "tests/support/csv.hpp"

namespace orrery::models {
namespace {

using testing::whole;

TEST(DepthTable, LooksUpTheReferenceCases) {
  for (const testing::Row& row : testing::read_csv("dlm/depth_lookup_vectors.csv")) {
    const std::int64_t prefix = whole(row, "prefix");
    const std::int64_t total = prefix + whole(row, "user") + whole(row, "gen");
    const std::int64_t ratio = prefix_ratio_percent(prefix, total);
    EXPECT_EQ(ratio, whole(row, "ratio_half_even")) << prefix << " of " << total;
    const DepthTable* table =
        published_depth_table(row.at("model") == "LLaDA-8B" ? "llada-8b" : "dream-7b");
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->depth(ratio), whole(row, "depth_half_even")) << prefix << " of " << total;
  }
}

TEST(DepthTable, RaisesFallingDepthsToTheRunningMaximumAndSaysSo) {
  const Result<DepthTable> table = DepthTable::make({{50, 6}, {0, 1}, {70, 4}, {90, 8}}, 10);
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->adjusted());
  EXPECT_EQ(table->depth(75), 6);
  EXPECT_EQ(table->depth(100), 8);
  EXPECT_FALSE(published_depth_table("llada-8b")->adjusted());
}

TEST(DepthTable, RefusesWhatCannotBeADepth) {
  EXPECT_FALSE(DepthTable::make({}, 32));
  EXPECT_FALSE(DepthTable::make({{0, 33}}, 32));
  EXPECT_FALSE(DepthTable::make({{0, -1}}, 32));
  EXPECT_FALSE(DepthTable::make({{101, 1}}, 32));
  EXPECT_FALSE(DepthTable::make({{5, 1}, {5, 2}}, 32));
  EXPECT_FALSE(load_depth_table("no/such.csv", 32));
}

TEST(PrefixRatio, OfNothingIsZeroAndOfEverythingAHundred) {
  EXPECT_EQ(prefix_ratio_percent(0, 0), 0);
  EXPECT_EQ(prefix_ratio_percent(7, 7), 100);
  EXPECT_EQ(prefix_ratio_percent(1, 8), 12) << "12.5 goes to the even neighbour";
  EXPECT_EQ(prefix_ratio_percent(3, 8), 38) << "37.5 goes to the even neighbour";
}

}  // namespace
}  // namespace orrery::models
