#pragma once
// Runs replicas on lists of requests with a price that can be worked out by hand, and keeps every
// batch, request and iteration.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cost/iteration_cost.hpp"
#include "scenarios/scenario.pb.h"
#include "sim/core/observer.hpp"
#include "sim/serving/metrics.hpp"
#include "sim/serving/replica.hpp"
#include "traces/request.hpp"

namespace orrery::sim::testing {

/// Seconds of an iteration, affine in what it computes.
class AffineCost final : public models::IterationCost {
 public:
  double fixed = 0.010;
  double per_prefill_token = 0.001;
  double per_decode = 0.001;
  double per_context_token = 0.0;
  double per_hand_over = 0.0;

  models::Price stage(const models::BatchShape& batch, int stage) override;
  models::Price hand_over(std::int64_t) override { return {per_hand_over, 0.0}; }
  double flops(const models::BatchShape& batch) const override;
  double memory_bytes(const models::BatchShape& batch) const override;
  models::PriceBreakdown breakdown(const models::BatchShape&) override { return {}; }
  const std::vector<std::string>& notes() const override { return notes_; }

 private:
  std::vector<std::string> notes_;
};

/// A request as tests write it.
struct Job {
  double arrival_s = 0.0;
  std::int64_t prompt = 1;
  std::int64_t output = 1;
  std::vector<std::uint64_t> hashes = {};
  std::int32_t hash_block_tokens = 0;
};

/// Keeps all rows.
class Recorder final : public Observer {
 public:
  bool keep_iterations = true;
  std::vector<RequestRecord> requests;
  std::vector<IterationRecord> iterations;

  bool wants_requests() const override { return true; }
  bool wants_iterations() const override { return keep_iterations; }
  void on_request(const RequestRecord& record) override { requests.push_back(record); }
  void on_iteration(const IterationRecord& record) override { iterations.push_back(record); }
  /// Milliseconds of request `id`.
  double first_token_ms(std::int64_t id) const;
  double finished_ms(std::int64_t id) const;
  const RequestRecord& of(std::int64_t id) const;
};

/// One run on equal replicas.
struct ServingRun {
  config::Serving serving;  ///< Scheduler and router with their limits.
  ReplicaOptions options;
  AffineCost cost;
  std::vector<Job> jobs;

  Recorder recorder;
  /// One line a batch: "0: 0(4@0) 1(4@0)" = start in ms, then request(tokens@context).
  std::vector<std::string> batches;
  std::vector<Metric> metrics;
  std::uint64_t events = 0;
  std::int64_t blocks_in_use_at_end = 0;

  /// A scheduler called `policy` over `blocks` of 4 tokens, no host overhead, one iteration at a
  /// time (so that `batches` has every one).
  explicit ServingRun(const std::string& policy, std::int64_t blocks = 1000);
  /// Runs everything. Unless told not to, iterations and batches are kept.
  void execute();
  double metric(const std::string& name) const;
};

}  // namespace orrery::sim::testing
