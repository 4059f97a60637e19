#pragma once
// What a simulation reports while it runs. `sim` knows no database and no terminal: analysis
// implements an Observer that stores rows, cli one that draws progress.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/time.hpp"

namespace orrery::sim {

enum class RequestStatus : std::uint8_t { kCompleted, kRejected, kFailed };

/// One request, reported once when it leaves the system. Times that never came are kTimeNever.
struct RequestRecord {
  std::int64_t id = 0;
  RequestStatus status = RequestStatus::kCompleted;
  std::int32_t replica = -1;  ///< -1: never routed.
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< Prompt tokens found in the prefix cache at first scheduling.
  std::int32_t preemptions = 0;
  SimTime arrival = kTimeNever;
  SimTime scheduled = kTimeNever;  ///< Start of the first iteration that computes for it.
  SimTime first_token = kTimeNever;
  SimTime finished = kTimeNever;
};

/// One iteration of one replica; reported only when wants_iterations().
struct IterationRecord {
  std::int32_t replica = 0;
  std::int64_t index = 0;  ///< 0-based within the replica.
  SimTime start = kTimeZero;
  Duration duration = Duration::zero();
  std::int64_t prefill_tokens = 0;
  std::int64_t decode_tokens = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t kv_blocks_used = 0;
};

/// A named number of the contract in docs/metrics.md.
struct Metric {
  std::string name;
  double value = 0.0;
  std::string unit;
};

/// How far a run is. `total` is -1 when it is not known.
struct Progress {
  std::int64_t done = 0;
  std::int64_t total = -1;
  SimTime now = kTimeZero;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual bool wants_requests() const { return false; }
  virtual bool wants_iterations() const { return false; }
  virtual void on_request(const RequestRecord& /*record*/) {}
  virtual void on_iteration(const IterationRecord& /*record*/) {}
  /// Called every few thousand events; returns false to cancel the run.
  virtual bool on_progress(const Progress& /*progress*/) { return true; }
};

/// What a run leaves behind besides its rows.
struct RunSummary {
  std::vector<Metric> metrics;     ///< In the order of the contract.
  std::vector<std::string> notes;  ///< Fallbacks, assumptions, warnings; sentences.
  bool cancelled = false;
};

}  // namespace orrery::sim
