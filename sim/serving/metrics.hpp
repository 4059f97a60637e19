#pragma once
// Collects what a serving run reports: request records become distributions and counts, iterations
// become utilisation. Shared by every kind of serving (autoregressive and diffusion).

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/observer.hpp"
#include "sim/core/stats.hpp"
#include "sim/core/time.hpp"

namespace orrery::sim {

/// 128-bit integers hold sums of nanoseconds x blocks exactly, in any order of adding.
__extension__ using Int128 = __int128;

/// Objectives; kTimeNever-like Duration::max() where none is set.
struct Objectives {
  Duration ttft = Duration::max();
  Duration tpot = Duration::max();
  Duration e2e = Duration::max();
};

/// One iteration as the collector needs it.
struct IterationSample {
  Duration device_time =
      Duration::zero();  ///< Time that a stage's devices compute, mean of stages.
  std::int64_t sequences = 0;
  double flops = 0.0;
  double memory_bytes = 0.0;
  double spread = 0.0;  ///< Relative, of the device time.
};

/// What the fleet is and costs, for ratios at the end.
struct FleetFigures {
  std::int64_t devices = 0;
  std::int64_t replicas = 0;
  std::int64_t devices_per_replica = 1;
  std::int64_t total_blocks = 0;  ///< Of one replica.
  double peak_flops = 0.0;        ///< Of one device, at the weights' number format.
  double memory_bandwidth = 0.0;  ///< Of one device, bytes/s.
  double usd_per_device_hour = 0.0;
  double idle_watts = 0.0;
  double busy_watts = 0.0;
};

class ServingMetrics {
 public:
  explicit ServingMetrics(const Objectives& objectives) : objectives_(objectives) {}

  void request(const RequestRecord& record);
  /// Gap between two tokens of a request; `times` equal ones at once.
  void gap(Duration duration, std::int64_t times);
  void iteration(const IterationSample& sample);
  void preempted(std::int64_t count) { preemptions_ += count; }
  /// `blocks` of a replica's cache were in use for `duration`.
  void blocks_in_use(std::int64_t blocks, Duration duration) {
    block_ns_ += Int128{blocks} * duration.count();
  }

  std::int64_t iterations() const { return iterations_; }
  std::int64_t finished_requests() const { return completed_ + rejected_ + failed_; }
  std::int64_t rejected_requests() const { return rejected_; }
  /// Mean relative spread of the prices used, weighted by time.
  double mean_spread() const;

  /// The metrics of the contract, in its order.
  std::vector<Metric> summary(const FleetFigures& fleet) const;

 private:
  bool meets_objectives(const RequestRecord& record, Duration tpot) const;
  void append_throughput(std::vector<Metric>& out, double duration_s) const;
  void append_utilization(std::vector<Metric>& out, const FleetFigures& fleet,
                          double duration_s) const;

  Objectives objectives_;
  Distribution ttft_, tpot_, itl_, e2e_, queue_;  // nanoseconds
  std::int64_t completed_ = 0;
  std::int64_t rejected_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t good_ = 0;
  std::int64_t prompt_tokens_ = 0;
  std::int64_t output_tokens_ = 0;
  std::int64_t cached_tokens_ = 0;
  std::int64_t preemptions_ = 0;
  std::int64_t iterations_ = 0;
  std::int64_t batched_sequences_ = 0;
  SimTime first_arrival_ = kTimeNever;
  SimTime last_finish_ = kTimeZero;
  Int128 device_ns_ = 0;
  Int128 block_ns_ = 0;
  double flops_ = 0.0;
  double memory_bytes_ = 0.0;
  double spread_ns_ = 0.0;
};

}  // namespace orrery::sim
