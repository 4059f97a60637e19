#include "analysis/store/store.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreTest : public DatabaseTest {};

TEST_F(StoreTest, GivesBackEveryFieldOfARequest) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a"));
  sim::RequestRecord full;
  full.id = 7;
  full.replica = 3;
  full.prompt_tokens = 10;
  full.output_tokens = 20;
  full.cached_tokens = 4;
  full.preemptions = 2;
  full.arrival = sim::SimTime(sim::Duration(1));
  full.scheduled = sim::SimTime(sim::Duration(9'000'000'000'000'000'001));
  full.first_token = full.scheduled + sim::Duration(1);
  full.finished = full.first_token + sim::Duration(1);
  writer.add(full);
  sim::RequestRecord rejected;
  rejected.id = 8;
  rejected.status = sim::RequestStatus::kRejected;
  rejected.prompt_tokens = 1;
  rejected.output_tokens = 1;
  rejected.arrival = sim::kTimeZero;
  writer.add(rejected);
  EXPECT_TRUE(writer.finish(outcome_of()));
  EXPECT_THAT(
      rows("SELECT id, status, replica, prompt_tokens, output_tokens, cached_tokens, "
           "preemptions, arrival_ns, scheduled_ns, first_token_ns, finished_ns FROM request "
           "ORDER BY id"),
      ElementsAre("7|completed|3|10|20|4|2|1|9000000000000000001|9000000000000000002|"
                  "9000000000000000003",
                  "8|rejected||1|1|0|0|0|||"));
}

TEST_F(StoreTest, GivesBackRunParametersMetricsNotesAndIterations) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a", 5));
  sim::IterationRecord iteration;
  iteration.replica = 1;
  iteration.index = 2;
  iteration.start = sim::SimTime(sim::Duration(3));
  iteration.duration = sim::Duration(4);
  iteration.prefill_tokens = 5;
  iteration.decode_tokens = 6;
  iteration.running = 7;
  iteration.waiting = 8;
  iteration.kv_blocks_used = 9;
  writer.add(iteration);
  writer.finish(outcome_of({{"x", 1.5, "s"}}));
  EXPECT_THAT(rows("SELECT id, kind, name, seed, version, status, wall_s FROM run"),
              ElementsAre(writer.id() + "|serving|a|5|1.2.3|complete|0.25"));
  EXPECT_THAT(rows("SELECT path, value, typeof(value) FROM parameter ORDER BY path"),
              ElementsAre("model.name|llama-3.1-8b|text", "serving.replicas|2|integer",
                          "serving.slo.ttft|2|real"));
  EXPECT_THAT(rows("SELECT name, value, unit FROM metric"), ElementsAre("x|1.5|s"));
  EXPECT_THAT(rows("SELECT text FROM note"), ElementsAre("A note."));
  EXPECT_THAT(rows("SELECT replica, number, start_ns, duration_ns, prefill_tokens, decode_tokens, "
                   "running, waiting, kv_blocks_used FROM iteration"),
              ElementsAre("1|2|3|4|5|6|7|8|9"));
}

TEST_F(StoreTest, NumbersThatAreNotFiniteBecomeNull) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a"));
  writer.finish(outcome_of(
      {{"nan", std::nan(""), "s"}, {"inf", std::numeric_limits<double>::infinity(), "s"}}));
  EXPECT_THAT(rows("SELECT name FROM metric WHERE value IS NULL"), SizeIs(2));
}

TEST_F(StoreTest, TheSameRunReplacesTheEarlierOne) {
  Store store = open_store();
  const std::string first = store_run(store, "a", 10);
  const std::string other = store_run(store, "b", 3);
  const std::string again = store_run(store, "a", 4);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_THAT(
      rows("SELECT name, count(*) FROM request JOIN run ON run.key = request.run GROUP BY 1"),
      ElementsAre("a|4", "b|3"));
  // It is now the last run.
  EXPECT_THAT(rows("SELECT name FROM run ORDER BY key DESC"), ElementsAre("a", "b"));
}

TEST_F(StoreTest, AWriterThatDoesNotFinishLeavesTheEarlierRunAlone) {
  Store store = open_store();
  store_run(store, "a", 10);
  {
    RunWriter writer = store.begin_run(header_for("a"));
    writer.add(completed_request(0));
  }
  EXPECT_THAT(rows("SELECT count(*) FROM request"), ElementsAre("10"));
  EXPECT_THAT(rows("SELECT status FROM run"), ElementsAre("complete"));
}

TEST_F(StoreTest, ACancelledRunKeepsItsMetricsButNoRows) {
  Store store = open_store();
  RunWriter writer = store.begin_run(header_for("a"));
  writer.add(completed_request(0));
  RunOutcome outcome = outcome_of({{"requests.completed", 1.0, "requests"}});
  outcome.status = RunStatus::kCancelled;
  EXPECT_TRUE(writer.finish(outcome));
  EXPECT_THAT(rows("SELECT status FROM run"), ElementsAre("cancelled"));
  EXPECT_THAT(rows("SELECT value FROM metric"), ElementsAre("1"));
  EXPECT_THAT(rows("SELECT * FROM request"), IsEmpty());
}

TEST_F(StoreTest, ACancelledRunNeverReplacesACompleteOne) {
  Store store = open_store();
  store_run(store, "a", 10);
  RunWriter writer = store.begin_run(header_for("a"));
  RunOutcome outcome = outcome_of();
  outcome.status = RunStatus::kCancelled;
  EXPECT_FALSE(writer.finish(outcome));
  EXPECT_THAT(rows("SELECT status, (SELECT count(*) FROM request) FROM run"),
              ElementsAre("complete|10"));
}

TEST_F(StoreTest, HostileTextStaysText) {
  const std::string hostile = "x'); DROP TABLE run; --\" \x01\n\t\xff";
  Store store = open_store();
  RunHeader header = header_for("a");
  header.name = hostile;
  header.parameters = {{hostile, hostile}};
  RunWriter writer = store.begin_run(header);
  writer.finish({{{hostile, 1.0, hostile}}, {hostile}, RunStatus::kComplete, 0.0});
  EXPECT_THAT(rows("SELECT name FROM run"), ElementsAre(hostile));
  EXPECT_THAT(rows("SELECT path, value FROM parameter"), ElementsAre(hostile + "|" + hostile));
  EXPECT_THAT(rows("SELECT text FROM note"), ElementsAre(hostile));
}

TEST_F(StoreTest, ForeignKeysHold) {
  Store store = open_store();
  store_run(store, "a", 3);
  store_run(store, "b", 3);
  EXPECT_THAT(rows("SELECT count(*) FROM request WHERE run NOT IN (SELECT key FROM run)"),
              ElementsAre("0"));
}

TEST_F(StoreTest, ANameThatLooksLikeAnOptionOrUriIsJustAName) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const std::string name : {"-x.db", "file:y.db?mode=memory", "a b%20#c.db"}) {
    auto store = Store::open(name);
    ASSERT_TRUE(store.ok()) << to_string(store.faults());
    store_run(*store, "a", 1);
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    EXPECT_THAT(rows("SELECT count(*) FROM request", name), ElementsAre("1"));
  }
  std::filesystem::current_path(before);
}

TEST(RunId, DependsOnScenarioSeedAndVersionAlone) {
  const RunHeader header = header_for("a");
  RunHeader same = header;
  same.scenario_path = "elsewhere.yaml";
  same.scenario_text += "# a comment";
  EXPECT_EQ(run_id(header), run_id(same));
  RunHeader seed = header;
  seed.seed = 2;
  RunHeader version = header;
  version.version = "1.2.4";
  RunHeader text = header;
  text.identity += "#";
  EXPECT_NE(run_id(header), run_id(seed));
  EXPECT_NE(run_id(header), run_id(version));
  EXPECT_NE(run_id(header), run_id(text));
  // Version 5, variant 1 (RFC 4122).
  EXPECT_THAT(run_id(header),
              ::testing::MatchesRegex(
                  "[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

}  // namespace
}  // namespace orrery::analysis
