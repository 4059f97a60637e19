// docs/queries.md has to name what the database holds.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>
#include <string>

#include "analysis/query/named_query.hpp"
#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis {
namespace {

using ::testing::HasSubstr;

class DocumentationTest : public DatabaseTest {
 protected:
  // The rows of tables in docs/queries.md that begin with `name`, joined.
  static std::string row_of(const std::string& name) {
    std::string rows;
    std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/docs/queries.md");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind(fmt::format("| `{}` |", name), 0) == 0) rows += line;
    }
    return rows;
  }
};

TEST_F(DocumentationTest, NamesEveryColumnOfEveryTableAndView) {
  Store store = open_store();
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  const std::string sql =
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
      "WHERE m.type IN ('table', 'view')";
  ASSERT_EQ(sqlite3_prepare_v2(raw, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
  int columns = 0;
  const auto text = [&](int i) {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, i)));
  };
  while (sqlite3_step(statement) == SQLITE_ROW) {
    ++columns;
    EXPECT_THAT(row_of(text(0)), HasSubstr(fmt::format("`{}`", text(1)))) << text(0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(raw);
  EXPECT_GT(columns, 100);
}

TEST_F(DocumentationTest, NamesEveryQueryAndItsParameters) {
  for (const NamedQuery& query : named_queries()) {
    const std::string row = row_of(query.name);
    EXPECT_NE(row, "") << query.name;
    for (const QueryParameter& parameter : query.parameters) {
      EXPECT_THAT(row, HasSubstr(fmt::format("`{}`", parameter.name))) << query.name;
    }
  }
}

}  // namespace
}  // namespace orrery::analysis
