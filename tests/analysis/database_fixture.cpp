#include "tests/analysis/database_fixture.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "analysis/query/row_format.hpp"

namespace orrery::analysis {

void DatabaseTest::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "orrery-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
}

void DatabaseTest::TearDown() {
  std::error_code error;
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  std::filesystem::remove_all(folder_, error);
}

Store DatabaseTest::open_store(const std::string& name, StoreOptions options) const {
  auto store = Store::open(path(name), std::move(options));
  if (!store) throw std::runtime_error(to_string(store.faults()));
  return std::move(store).value();
}

Reader DatabaseTest::open_reader(const std::string& name) const {
  auto reader = Reader::open(path(name));
  if (!reader) throw std::runtime_error(to_string(reader.faults()));
  return std::move(reader).value();
}

std::vector<std::string> DatabaseTest::rows(const std::string& sql, const std::string& name) const {
  Reader reader = open_reader(name);
  auto cursor = reader.query(sql, {});
  if (!cursor) throw std::runtime_error(to_string(cursor.faults()));
  std::vector<std::string> out;
  std::vector<Value> row;
  while (cursor->next(row)) {
    std::string line;
    for (const Value& value : row) {
      if (&value != row.data()) line += '|';
      line += to_text(value);
    }
    out.push_back(line);
  }
  return out;
}

RunHeader header_for(const std::string& name, std::uint64_t seed) {
  RunHeader header;
  header.kind = "serving";
  header.name = name;
  header.scenario_path = name + ".yaml";
  header.scenario_text = "kind: serving\nname: " + name + "\n";
  header.identity = header.scenario_text;
  header.parameters_json = "{}";
  header.parameters = {{"model.name", std::string("llama-3.1-8b")},
                       {"serving.replicas", std::int64_t{2}},
                       {"serving.slo.ttft", 2.0}};
  header.seed = seed;
  header.version = "1.2.3";
  return header;
}

sim::RequestRecord completed_request(std::int64_t id) {
  using std::chrono::seconds;
  sim::RequestRecord record;
  record.id = id;
  record.replica = static_cast<std::int32_t>(id % 2);
  record.prompt_tokens = 100 + id;
  record.output_tokens = 4;
  record.arrival = sim::kTimeZero + seconds(id);
  record.scheduled = record.arrival + seconds(1);
  record.first_token = record.arrival + seconds(2);
  record.finished = record.arrival + seconds(5);
  return record;
}

RunOutcome outcome_of(std::vector<sim::Metric> metrics) {
  return {std::move(metrics), {"A note."}, RunStatus::kComplete, 0.25};
}

std::string store_run(Store& store, const std::string& name, std::int64_t requests,
                      std::uint64_t seed) {
  RunWriter writer = store.begin_run(header_for(name, seed));
  for (std::int64_t i = 0; i < requests; ++i) writer.add(completed_request(i));
  writer.finish(outcome_of({{"requests.completed", static_cast<double>(requests), "requests"},
                            {"ttft_s.p50", 2.0, "s"}}));
  return writer.id();
}

}  // namespace orrery::analysis
