#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MigrationTest : public DatabaseTest {
 protected:
  void execute(const std::string& sql, const std::string& name = "orrery.db") {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path(name).c_str(), &raw), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(raw);
  }
  static std::string fixture() {
    std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/tests/analysis/fixtures/version_1.sql");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(MigrationTest, BringsVersionOneForwardWithItsRows) {
  execute(fixture());
  {
    auto reader = Reader::open(path());
    ASSERT_FALSE(reader.ok());
    EXPECT_THAT(to_string(reader.faults()), HasSubstr("schema version 1"));
  }
  { Store store = open_store(); }
  EXPECT_THAT(rows("SELECT name, seed FROM run"), ElementsAre("old|7"));
  EXPECT_THAT(rows("SELECT count(*) FROM request"), ElementsAre("2"));
  EXPECT_THAT(rows("SELECT device, completed, ttft_p50_s FROM serving_summary"),
              ElementsAre("h100-sxm-80gb|2|0.25"));
  EXPECT_THAT(rows("SELECT count(*) FROM evaluation"), ElementsAre("0"));
}

TEST_F(MigrationTest, EndsInTheSchemaOfAFreshDatabase) {
  execute(fixture(), "old.db");
  { Store old = open_store("old.db"); }
  { Store fresh = open_store("fresh.db"); }
  const std::string sql =
      "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1";
  EXPECT_EQ(rows(sql, "old.db"), rows(sql, "fresh.db"));
}

TEST_F(MigrationTest, RefusesANewerVersionAndNamesBoth) {
  { Store store = open_store(); }
  execute("PRAGMA user_version = 99");
  const auto before = std::filesystem::last_write_time(path());
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  const std::string message = to_string(store.faults());
  EXPECT_THAT(message, HasSubstr("schema version 99"));
  EXPECT_THAT(message, HasSubstr("up to " + std::to_string(kSchemaVersion)));
  EXPECT_THAT(message, HasSubstr("nothing was changed"));
  EXPECT_EQ(std::filesystem::last_write_time(path()), before);
  EXPECT_FALSE(Reader::open(path()).ok());
}

TEST_F(MigrationTest, LeavesAnotherProgramsDatabaseAlone) {
  execute("CREATE TABLE bookmarks(url)");
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(to_string(store.faults()), HasSubstr("another program"));
}

TEST_F(MigrationTest, TakesAnEmptyFile) {
  { std::ofstream file(path()); }
  { Store store = open_store(); }
  EXPECT_THAT(rows("SELECT count(*) FROM run"), ElementsAre("0"));
}

}  // namespace
}  // namespace orrery::analysis
