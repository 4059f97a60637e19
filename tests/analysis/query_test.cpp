#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/query/named_query.hpp"
#include "analysis/query/reader.hpp"
#include "analysis/query/row_format.hpp"
#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QueryTest : public DatabaseTest {
 protected:
  // The named query with its defaults and `given`, rows as text.
  std::vector<std::string> named(const std::string& name,
                                 const std::map<std::string, std::string>& given = {}) {
    const auto all = named_queries();
    const auto query = std::find_if(all.begin(), all.end(), [&](const NamedQuery& candidate) {
      return candidate.name == name;
    });
    if (query == all.end()) throw std::runtime_error("no query " + name);
    Reader reader = open_reader();
    std::map<std::string, std::string> parameters;
    for (const QueryParameter& p : query->parameters) {
      const auto it = given.find(p.name);
      std::string value = it == given.end() ? p.default_value : it->second;
      if (p.name.rfind("run", 0) == 0) {
        auto run = reader.resolve_run(value);
        if (!run) throw std::runtime_error(to_string(run.faults()));
        value = *run;
      }
      parameters[p.name] = value;
    }
    auto cursor = reader.query(query->sql, parameters);
    if (!cursor) throw std::runtime_error(to_string(cursor.faults()));
    std::vector<std::string> out;
    std::vector<Value> row;
    while (cursor->next(row)) out.push_back(csv_row(row));
    return out;
  }
  std::string fault_of(const std::string& sql,
                       const std::map<std::string, std::string>& with = {}) {
    Reader reader = open_reader();
    const auto cursor = reader.query(sql, with);
    return cursor.ok() ? std::string() : to_string(cursor.faults());
  }
};

TEST_F(QueryTest, EveryNamedQueryRunsOnAnEmptyAndOnAFilledRun) {
  {
    Store store = open_store();
    store_run(store, "a", 0);
    store_run(store, "b", 100);
  }
  for (const NamedQuery& query : named_queries()) {
    EXPECT_FALSE(query.help.empty()) << query.name;
    for (const QueryParameter& parameter : query.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << query.name << " " << parameter.name;
    }
    EXPECT_NO_THROW(named(query.name)) << query.name;
    if (!query.parameters.empty() && query.parameters[0].name == "run") {
      EXPECT_NO_THROW(named(query.name, {{"run", "previous"}, {"run_before", "last"}}))
          << query.name;
    }
  }
}

TEST_F(QueryTest, SlowestRequestsComeFirstWithTheirTimes) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a"));
  writer.add(completed_request(0));
  sim::RequestRecord slow = completed_request(1);
  slow.finished += std::chrono::seconds(7);
  writer.add(slow);
  writer.finish(outcome_of());
  // 5 s + 7 s from arrival to end; (12 - 2) s over 3 gaps a token.
  EXPECT_THAT(named("requests_slowest"),
              ElementsAre("1,1,101,4,0,0,1,1,2,3.333333,12", "0,0,100,4,0,0,0,1,2,1,5"));
}

TEST_F(QueryTest, LatencyOverTimeCountsEachRequestInItsMinute) {
  Store store = open_store();
  store_run(store, "a", 150);
  const auto buckets = named("latency_over_time");
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_THAT(buckets[0], HasSubstr("0,60,0,"));
  EXPECT_THAT(buckets[1], HasSubstr("60,60,0,"));
  EXPECT_THAT(buckets[2], HasSubstr("120,30,0,"));
}

TEST_F(QueryTest, SloAttainmentUsesTheScenariosObjectiveAndScalesIt) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a"));  // objective: TTFT of 2 s
  for (std::int64_t i = 0; i < 4; ++i) {
    sim::RequestRecord request = completed_request(i);
    request.first_token = request.arrival + std::chrono::seconds(1 + i);  // 1, 2, 3, 4 s
    writer.add(request);
  }
  writer.finish(outcome_of());
  EXPECT_THAT(named("slo_attainment"),
              ElementsAre("0.25,0.5,,,0,,,0", "0.5,1,,,0.25,,,0.25", "0.75,1.5,,,0.25,,,0.25",
                          "1,2,,,0.5,,,0.5", "1.5,3,,,0.75,,,0.75", "2,4,,,1,,,1", "4,8,,,1,,,1"));
}

TEST_F(QueryTest, CompareShowsWhatDiffers) {
  Store store = open_store();
  store_run(store, "a", 10);
  RunHeader header = header_for("b");
  header.parameters[1].value = std::int64_t{4};
  RunWriter writer = store.begin_run(header);
  writer.finish(outcome_of({{"requests.completed", 15, "requests"}}));
  EXPECT_THAT(named("compare"), ElementsAre("field,serving.replicas,2,4,,",
                                            "metric,requests.completed,10,15,50,requests",
                                            "metric,ttft_s.p50,2,,,s"));
}

TEST_F(QueryTest, QuantileInterpolatesBetweenOrderStatistics) {
  { Store store = open_store(); }
  EXPECT_THAT(rows("SELECT quantile(column1, 0.5), quantile(column1, 0), quantile(column1, 1), "
                   "quantile(column1, 0.25) FROM (VALUES (4.0), (1.0), (NULL), (2.0), (10.0))"),
              ElementsAre("3|1|10|1.75"));
  EXPECT_THAT(rows("SELECT quantile(1, 0.5) WHERE 0"), ElementsAre(""));
  Reader reader = open_reader();
  auto cursor = reader.query("SELECT quantile(1, 2)", {});
  ASSERT_TRUE(cursor.ok());
  std::vector<Value> row;
  EXPECT_THROW(cursor->next(row), StoreFailure);
}

TEST_F(QueryTest, NothingButOneSelectIsAccepted) {
  { Store store = open_store(); }
  for (const std::string sql :
       {"DELETE FROM run", "DROP TABLE run", "PRAGMA user_version = 5", "PRAGMA table_info(run)",
        "ATTACH '/tmp/x.db' AS x", "SELECT 1; SELECT 2", "", ";", "-- nothing", "VACUUM",
        "INSERT INTO run(key) VALUES (1) RETURNING key", "SELECT load_extension('x')",
        "CREATE TEMP TABLE t(x)", "BEGIN"}) {
    EXPECT_NE(fault_of(sql), "") << sql;
  }
  EXPECT_EQ(fault_of("SELECT 1;  \n"), "");
  EXPECT_EQ(fault_of("WITH x(n) AS (VALUES (1)) SELECT n FROM x"), "");
}

TEST_F(QueryTest, ASlipInANameGetsTheNearestOne) {
  { Store store = open_store(); }
  EXPECT_THAT(fault_of("SELECT * FROM requests"), HasSubstr("did you mean \"request\""));
  EXPECT_THAT(fault_of("SELECT promt_tokens FROM request"),
              HasSubstr("did you mean \"prompt_tokens\""));
  EXPECT_THAT(fault_of("SELECT :limit", {{"limt", "1"}}), HasSubstr("did you mean \"limit\""));
}

TEST_F(QueryTest, ParametersAreValuesNeverSql) {
  Store store = open_store();
  store_run(store, "a", 1);
  Reader reader = open_reader();
  auto cursor = reader.query("SELECT :x, typeof(:x)", {{"x", "1; DROP TABLE run"}});
  ASSERT_TRUE(cursor.ok());
  std::vector<Value> row;
  ASSERT_TRUE(cursor->next(row));
  EXPECT_EQ(csv_row(row), "1; DROP TABLE run,text");
}

TEST_F(QueryTest, ATimeLimitEndsAnEndlessQuery) {
  { Store store = open_store(); }
  ReaderOptions options;
  options.time_limit = std::chrono::milliseconds(50);
  auto reader = Reader::open(path(), options);
  ASSERT_TRUE(reader.ok());
  auto cursor = reader->query(
      "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
      {});
  ASSERT_TRUE(cursor.ok());
  std::vector<Value> row;
  EXPECT_THROW(cursor->next(row), StoreFailure);
}

TEST_F(QueryTest, RunsAreFoundByPositionIdAndName) {
  Store store = open_store();
  const std::string a = store_run(store, "alpha", 1);
  const std::string b = store_run(store, "beta", 1);
  Reader reader = open_reader();
  EXPECT_EQ(*reader.resolve_run("last"), b);
  EXPECT_EQ(*reader.resolve_run("previous"), a);
  EXPECT_EQ(*reader.resolve_run(a), a);
  EXPECT_EQ(*reader.resolve_run(a.substr(0, 8)), a);
  EXPECT_EQ(*reader.resolve_run("alpha"), a);
  const auto missing = reader.resolve_run("alhpa");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(to_string(missing.faults()), HasSubstr("did you mean \"alpha\""));
}

TEST_F(QueryTest, AHeaderIsHelpAndParameters) {
  const NamedQuery query = parse_query(
      "q", "-- First line\n-- second.\n-- :run = last | Which.\n-- :x = | Free.\nSELECT 1\n");
  EXPECT_EQ(query.help, "First line second.");
  ASSERT_EQ(query.parameters.size(), 2U);
  EXPECT_EQ(query.parameters[0].name, "run");
  EXPECT_EQ(query.parameters[0].default_value, "last");
  EXPECT_EQ(query.parameters[0].help, "Which.");
  EXPECT_EQ(query.parameters[1].default_value, "");
}

}  // namespace
}  // namespace orrery::analysis
