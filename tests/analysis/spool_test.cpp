#include "analysis/store/spool.hpp"

#include <gtest/gtest.h>

#include "analysis/store/sqlite.hpp"
#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis::detail {
namespace {

class SpoolTest : public DatabaseTest {};

struct Row {
  std::int64_t a;
  std::int32_t b;
};

std::int64_t count_in_order(Spool<Row>& spool) {
  std::int64_t expected = 0;
  spool.for_each([&](const Row& row) {
    if (row.a == expected && row.b == static_cast<std::int32_t>(expected * 3)) ++expected;
  });
  return expected;
}

TEST_F(SpoolTest, KeepsOrderAcrossMemoryAndFile) {
  // 100 bytes of memory: nearly everything passes through the file.
  for (const std::size_t memory : {std::size_t{100}, std::size_t{1} << 20}) {
    Spool<Row> spool(folder_.string(), memory);
    constexpr std::int64_t kRows = 100'001;
    for (std::int64_t i = 0; i < kRows; ++i) spool.append({i, static_cast<std::int32_t>(i * 3)});
    EXPECT_EQ(spool.size(), static_cast<std::size_t>(kRows));
    EXPECT_EQ(count_in_order(spool), kRows);
  }
}

TEST_F(SpoolTest, LeavesNoFileBehind) {
  Spool<Row> spool(folder_.string(), 16);
  for (std::int64_t i = 0; i < 10; ++i) spool.append({i, 0});
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SpoolTest, SaysWhenTheFolderIsGone) {
  Spool<Row> spool((folder_ / "missing").string(), 16);
  EXPECT_THROW(spool.append({0, 0}), StoreFailure);
}

}  // namespace
}  // namespace orrery::analysis::detail
