#pragma once
// The results database: one SQLite file that keeps any number of runs (schema.sql,
// docs/queries.md).
//
// A run is written in one transaction when it ends: until then its rows wait in a spool, so a run
// that is killed, fails or meets a full disk leaves the database as it was, and long runs of
// several processes may share one file. A run is identified by the hash of its resolved scenario,
// seed and version; running the same again replaces the earlier rows in the same transaction.
//
//   auto store = Store::open("orrery.db");
//   if (!store) ...print store.faults()...
//   RunWriter writer = store->begin_run(header);
//   StoreObserver observer(writer, ...);           // or writer.add(record)
//   auto summary = sim::simulate(scenario, observer);
//   writer.finish({summary->metrics, summary->notes, RunStatus::kComplete, wall_s});
//
// Thread safety: one Store and its writers belong to one thread; several processes (or Stores) may
// write to one file at the same time and wait for each other.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analysis/store/sqlite.hpp"
#include "models/result.hpp"
#include "sim/core/observer.hpp"

namespace orrery::analysis {

/// Version of the schema that this program writes (`PRAGMA user_version`).
inline constexpr int kSchemaVersion = 2;
/// `PRAGMA application_id` of an Orrery database: "ORRY".
inline constexpr std::int64_t kApplicationId = 0x4f525259;

/// A field of the resolved scenario: number in the field's base unit, or text.
struct Parameter {
  std::string path;
  std::variant<std::int64_t, double, std::string> value;
};

/// What identifies and describes a run before it starts.
struct RunHeader {
  std::string kind;
  std::string name;
  std::string scenario_path;    ///< As the user wrote it.
  std::string scenario_text;    ///< Resolved scenario with every default filled in.
  std::string identity;         ///< Text that is equal for scenarios that mean the same.
  std::string parameters_json;  ///< The same as one JSON object.
  std::vector<Parameter> parameters;
  std::uint64_t seed = 0;
  std::string version;
};

/// UUID (version 5) of identity, seed and version: the same on every machine.
std::string run_id(const RunHeader& header);

enum class RunStatus { kComplete, kCancelled };

struct RunOutcome {
  std::vector<sim::Metric> metrics;
  std::vector<std::string> notes;
  RunStatus status = RunStatus::kComplete;
  double wall_s = 0.0;
};

struct StoreOptions {
  /// How long to wait for another process that writes.
  std::chrono::milliseconds busy_timeout{10000};
  /// Asked every few thousand rows and while waiting; true abandons the transaction with
  /// StoreFailure.
  std::function<bool()> interrupted = nullptr;
};

class RunWriter {
 public:
  /// Rows are kept until finish(). Throws StoreFailure when they cannot be.
  void add(const sim::RequestRecord& record);
  void add(const sim::IterationRecord& record);

  /// Writes everything in one transaction, or throws StoreFailure and nothing has changed. Of a
  /// cancelled run the metrics and notes are kept but no rows, and it never replaces a complete
  /// one: the result is false then.
  bool finish(const RunOutcome& outcome);

  const std::string& id() const;

  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();

 private:
  friend class Store;
  struct State;
  explicit RunWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Store {
 public:
  /// Opens or creates the database and brings an older schema up to date. Faults: no such folder,
  /// read-only, not a database, another program's database, written by a newer version. Throws
  /// StoreFailure for a full disk, damage, or a lock that is not given up.
  static Result<Store> open(const std::string& path, StoreOptions options = {});

  RunWriter begin_run(RunHeader header);
  const std::string& path() const { return connection_->path(); }

 private:
  Store(std::shared_ptr<const StoreOptions> options, std::shared_ptr<detail::Connection> connection)
      : options_(std::move(options)), connection_(std::move(connection)) {}
  // In this order: the connection asks the options while it waits for a lock.
  std::shared_ptr<const StoreOptions> options_;
  std::shared_ptr<detail::Connection> connection_;
};

/// Gives a simulation's rows to a writer.
class StoreObserver : public sim::Observer {
 public:
  StoreObserver(RunWriter& writer, bool requests, bool iterations)
      : writer_(writer), requests_(requests), iterations_(iterations) {}
  bool wants_requests() const override { return requests_; }
  bool wants_iterations() const override { return iterations_; }
  void on_request(const sim::RequestRecord& record) override { writer_.add(record); }
  void on_iteration(const sim::IterationRecord& record) override { writer_.add(record); }

 private:
  RunWriter& writer_;
  bool requests_;
  bool iterations_;
};

}  // namespace orrery::analysis
