#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <ctime>
#include <filesystem>
#include <utility>

#include "analysis/store/spool.hpp"
#include "analysis/store/store.hpp"
#include "sim/core/check.hpp"

namespace orrery::analysis {
namespace {

using detail::Connection;
using detail::Statement;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string_view name_of(sim::RequestStatus status) {
  constexpr std::array<std::string_view, 3> kNames = {"completed", "rejected", "failed"};
  return kNames.at(static_cast<std::size_t>(status));
}

void bind_time(Statement& statement, int index, sim::SimTime time) {
  if (time == sim::kTimeNever) {
    statement.bind_null(index);
  } else {
    statement.bind(index, static_cast<std::int64_t>(time.time_since_epoch().count()));
  }
}

void insert_parameters(const Connection& connection, std::int64_t key, const RunHeader& header) {
  Statement insert(connection, "INSERT OR REPLACE INTO parameter VALUES (?, ?, ?)");
  for (const Parameter& parameter : header.parameters) {
    insert.bind(1, key).bind(2, std::string_view(parameter.path));
    std::visit([&](const auto& value) { insert.bind(3, value); }, parameter.value);
    insert.execute();
  }
}

void insert_outcome(const Connection& connection, std::int64_t key, const RunOutcome& outcome) {
  Statement metric(connection, "INSERT OR REPLACE INTO metric VALUES (?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const sim::Metric& m : outcome.metrics) {
    metric.bind(1, key).bind(2, std::string_view(m.name)).bind(3, m.value);
    metric.bind(4, std::string_view(m.unit)).bind(5, position++).execute();
  }
  Statement note(connection, "INSERT INTO note VALUES (?, ?, ?)");
  position = 0;
  for (const std::string& text : outcome.notes) {
    note.bind(1, key).bind(2, position++).bind(3, std::string_view(text)).execute();
  }
}

}  // namespace

std::string run_id(const RunHeader& header) {
  // A namespace of our own, so that no other program's names give the same identifiers.
  const auto space = boost::uuids::string_generator()("8c3a1c5e-3d0b-5b52-9f7e-6f7272657279");
  boost::uuids::name_generator_sha1 generator(space);
  // The lengths keep two different triples from ever giving the same bytes.
  const std::string name = fmt::format("{}:{}:{}:{}:{}", header.identity.size(), header.identity,
                                       header.seed, header.version.size(), header.version);
  return boost::uuids::to_string(generator(name));
}

struct RunWriter::State {
  State(std::shared_ptr<const StoreOptions> with, std::shared_ptr<Connection> to, RunHeader what,
        const std::string& folder)
      : options(std::move(with)),
        connection(std::move(to)),
        header(std::move(what)),
        id(run_id(header)),
        requests(folder),
        iterations(folder) {}

  std::shared_ptr<const StoreOptions> options;
  std::shared_ptr<Connection> connection;
  RunHeader header;
  std::string id;
  detail::Spool<sim::RequestRecord> requests;
  detail::Spool<sim::IterationRecord> iterations;

  void check_interrupt(std::size_t row) const {
    if ((row & 0xfff) == 0 && options->interrupted && options->interrupted()) {
      throw StoreFailure(
          "interrupted while the rows were being written; nothing was changed in the "
          "database",
          SQLITE_INTERRUPT);
    }
  }

  bool has_complete_run() const {
    Statement find(*connection, "SELECT 1 FROM run WHERE id = ? AND status = 'complete'");
    return find.bind(1, std::string_view(id)).step();
  }

  std::int64_t replace_run(const RunOutcome& outcome) const {
    Statement remove(*connection, "DELETE FROM run WHERE id = ?");
    // The old run's key must not come back: "the last run" is the one with the greatest key.
    const std::int64_t key = connection->integer("SELECT coalesce(max(key), 0) + 1 FROM run");
    remove.bind(1, std::string_view(id)).execute();
    Statement insert(*connection, "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key).bind(2, std::string_view(id)).bind(3, std::string_view(header.kind));
    insert.bind(4, std::string_view(header.name));
    insert.bind(5, std::string_view(header.scenario_path));
    insert.bind(6, std::string_view(header.scenario_text));
    insert.bind(7, std::string_view(header.parameters_json));
    insert.bind(8, static_cast<std::int64_t>(header.seed));
    insert.bind(9, std::string_view(header.version));
    const bool complete = outcome.status == RunStatus::kComplete;
    insert.bind_static(10, complete ? "complete" : "cancelled");
    const std::string now = utc_now();
    insert.bind(11, std::string_view(now)).bind(12, outcome.wall_s).execute();
    return key;
  }

  void insert_requests(std::int64_t key) {
    Statement insert(*connection,
                     "INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    std::size_t row = 0;
    requests.for_each([&](const sim::RequestRecord& r) {
      check_interrupt(++row);
      insert.bind(2, r.id).bind_static(3, name_of(r.status));
      if (r.replica < 0) {
        insert.bind_null(4);
      } else {
        insert.bind(4, std::int64_t{r.replica});
      }
      insert.bind(5, r.prompt_tokens).bind(6, r.output_tokens).bind(7, r.cached_tokens);
      insert.bind(8, std::int64_t{r.preemptions});
      bind_time(insert, 9, r.arrival);
      bind_time(insert, 10, r.scheduled);
      bind_time(insert, 11, r.first_token);
      bind_time(insert, 12, r.finished);
      insert.execute();
    });
  }

  void insert_iterations(std::int64_t key) {
    Statement insert(*connection, "INSERT INTO iteration VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, key);
    std::size_t row = 0;
    iterations.for_each([&](const sim::IterationRecord& i) {
      check_interrupt(++row);
      insert.bind(2, std::int64_t{i.replica}).bind(3, i.index);
      insert.bind(4, static_cast<std::int64_t>(i.start.time_since_epoch().count()));
      insert.bind(5, static_cast<std::int64_t>(i.duration.count()));
      insert.bind(6, i.prefill_tokens).bind(7, i.decode_tokens);
      insert.bind(8, i.running).bind(9, i.waiting).bind(10, i.kv_blocks_used);
      insert.execute();
    });
  }
};

RunWriter::RunWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

const std::string& RunWriter::id() const { return state_->id; }
void RunWriter::add(const sim::RequestRecord& record) { state_->requests.append(record); }
void RunWriter::add(const sim::IterationRecord& record) { state_->iterations.append(record); }

bool RunWriter::finish(const RunOutcome& outcome) {
  State& state = *state_;
  detail::Transaction transaction(*state.connection);
  const bool complete = outcome.status == RunStatus::kComplete;
  if (!complete && state.has_complete_run()) return false;
  const std::int64_t key = state.replace_run(outcome);
  insert_parameters(*state.connection, key, state.header);
  insert_outcome(*state.connection, key, outcome);
  if (complete) {
    state.insert_requests(key);
    state.insert_iterations(key);
  }
  transaction.commit();
  return true;
}

RunWriter Store::begin_run(RunHeader header) {
  namespace fs = std::filesystem;
  const fs::path file(path());
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  return RunWriter(
      std::make_unique<RunWriter::State>(options_, connection_, std::move(header), folder));
}

}  // namespace orrery::analysis
