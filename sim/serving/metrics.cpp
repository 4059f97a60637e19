#include "sim/serving/metrics.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace orrery::sim {
namespace {

constexpr double kNanosecond = 1e-9;

void append_distribution(std::vector<Metric>& out, std::string_view name,
                         const Distribution& nanoseconds) {
  if (nanoseconds.count() == 0) return;
  const std::string prefix(name);
  out.push_back({prefix + ".mean", nanoseconds.mean() * kNanosecond, "s"});
  constexpr std::array<std::pair<const char*, double>, 4> kQuantiles{
      {{".p50", 0.5}, {".p90", 0.9}, {".p95", 0.95}, {".p99", 0.99}}};
  for (const auto& [suffix, q] : kQuantiles) {
    out.push_back({prefix + suffix, nanoseconds.quantile(q) * kNanosecond, "s"});
  }
  out.push_back({prefix + ".max", nanoseconds.max() * kNanosecond, "s"});
}

double ratio(double numerator, double denominator) {
  return denominator > 0.0 ? numerator / denominator : 0.0;
}

double as_ns(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace

bool ServingMetrics::meets_objectives(const RequestRecord& record, Duration tpot) const {
  return record.first_token - record.arrival <= objectives_.ttft && tpot <= objectives_.tpot &&
         record.finished - record.arrival <= objectives_.e2e;
}

void ServingMetrics::request(const RequestRecord& record) {
  first_arrival_ = std::min(first_arrival_, record.arrival);
  if (record.status == RequestStatus::kRejected) {
    ++rejected_;
    return;
  }
  if (record.status == RequestStatus::kFailed) {
    ++failed_;
    return;
  }
  ++completed_;
  last_finish_ = std::max(last_finish_, record.finished);
  prompt_tokens_ += record.prompt_tokens;
  output_tokens_ += record.output_tokens;
  cached_tokens_ += record.cached_tokens;
  Duration tpot = Duration::zero();
  if (record.output_tokens > 1) {
    const double mean =
        as_ns(record.finished - record.first_token) / static_cast<double>(record.output_tokens - 1);
    tpot_.add(mean);
    tpot = Duration{static_cast<std::int64_t>(mean)};
  }
  ttft_.add(as_ns(record.first_token - record.arrival));
  e2e_.add(as_ns(record.finished - record.arrival));
  queue_.add(as_ns(record.scheduled - record.arrival));
  if (meets_objectives(record, tpot)) ++good_;
}

void ServingMetrics::gap(Duration duration, std::int64_t times) {
  itl_.add(as_ns(duration), static_cast<std::uint64_t>(times));
}

void ServingMetrics::iteration(const IterationSample& sample) {
  ++iterations_;
  batched_sequences_ += sample.sequences;
  device_ns_ += sample.device_time.count();
  flops_ += sample.flops;
  memory_bytes_ += sample.memory_bytes;
  spread_ns_ += sample.spread * as_ns(sample.device_time);
}

double ServingMetrics::mean_spread() const {
  return ratio(spread_ns_, static_cast<double>(device_ns_));
}

void ServingMetrics::append_throughput(std::vector<Metric>& out, double duration_s) const {
  const auto output = static_cast<double>(output_tokens_);
  const auto total = static_cast<double>(output_tokens_ + prompt_tokens_);
  out.push_back(
      {"throughput.requests_per_s", ratio(static_cast<double>(completed_), duration_s), "1/s"});
  out.push_back({"throughput.output_tokens_per_s", ratio(output, duration_s), "tokens/s"});
  out.push_back({"throughput.total_tokens_per_s", ratio(total, duration_s), "tokens/s"});
  out.push_back({"goodput.requests_per_s", ratio(static_cast<double>(good_), duration_s), "1/s"});
  out.push_back({"slo.attainment",
                 ratio(static_cast<double>(good_), static_cast<double>(finished_requests())), "1"});
}

void ServingMetrics::append_utilization(std::vector<Metric>& out, const FleetFigures& fleet,
                                        double duration_s) const {
  const auto devices = static_cast<double>(fleet.devices);
  const double busy_s = static_cast<double>(device_ns_) * kNanosecond;  // replica-seconds
  const double replica_s = duration_s * static_cast<double>(fleet.replicas);
  const double block_s = static_cast<double>(block_ns_) * kNanosecond;
  out.push_back({"batch.size.mean",
                 ratio(static_cast<double>(batched_sequences_), static_cast<double>(iterations_)),
                 "requests"});
  out.push_back({"kv.utilization.mean",
                 ratio(block_s, replica_s * static_cast<double>(fleet.total_blocks)), "1"});
  out.push_back({"kv.preemptions", static_cast<double>(preemptions_), "count"});
  out.push_back({"prefix.hit_rate",
                 ratio(static_cast<double>(cached_tokens_), static_cast<double>(prompt_tokens_)),
                 "1"});
  const double working = busy_s * static_cast<double>(fleet.devices_per_replica);
  out.push_back({"gpu.busy", ratio(working, duration_s * devices), "1"});
  out.push_back({"gpu.mfu", ratio(flops_, duration_s * devices * fleet.peak_flops), "1"});
  out.push_back(
      {"gpu.mbu", ratio(memory_bytes_, duration_s * devices * fleet.memory_bandwidth), "1"});
  const auto output = static_cast<double>(output_tokens_);
  const double usd = fleet.usd_per_device_hour * devices * duration_s / 3600.0;
  if (output_tokens_ == 0) return;  // A cost per token of nothing is not a number.
  out.push_back({"cost.usd_per_million_output_tokens", ratio(usd * 1e6, output), "USD"});
  const double joules =
      fleet.idle_watts * devices * duration_s + (fleet.busy_watts - fleet.idle_watts) * working;
  out.push_back({"energy.joules_per_output_token", ratio(joules, output), "J"});
}

std::vector<Metric> ServingMetrics::summary(const FleetFigures& fleet) const {
  std::vector<Metric> out;
  const double duration_s = completed_ > 0 ? to_seconds(last_finish_ - first_arrival_) : 0.0;
  out.push_back({"requests.completed", static_cast<double>(completed_), "count"});
  out.push_back({"requests.rejected", static_cast<double>(rejected_), "count"});
  out.push_back({"requests.failed", static_cast<double>(failed_), "count"});
  out.push_back({"duration_s", duration_s, "s"});
  append_distribution(out, "ttft_s", ttft_);
  append_distribution(out, "tpot_s", tpot_);
  append_distribution(out, "itl_s", itl_);
  append_distribution(out, "e2e_s", e2e_);
  append_distribution(out, "queue_s", queue_);
  append_throughput(out, duration_s);
  append_utilization(out, fleet, duration_s);
  return out;
}

}  // namespace orrery::sim
