#include <array>

#include "sim/serving/serving.hpp"

namespace orrery::sim {

std::span<const MetricInfo> serving_metric_catalogue() {
  static constexpr std::array kMetrics{
      MetricInfo{"requests.completed", "count", "Requests that produced their last token."},
      MetricInfo{"requests.rejected", "count",
                 "Requests refused on arrival: too long for the cache or limit, or a full queue."},
      MetricInfo{"requests.failed", "count", "Requests lost to a failure."},
      MetricInfo{"duration_s", "s", "From the first arrival to the last token."},
      MetricInfo{"ttft_s.*", "s", "Time to first token: first token minus arrival, per request."},
      MetricInfo{"tpot_s.*", "s",
                 "Time per output token: (last token - first token) / (output - 1), per request of "
                 "more than one token."},
      MetricInfo{"itl_s.*", "s", "Inter-token latency: every gap between two tokens of a request."},
      MetricInfo{"e2e_s.*", "s", "Last token minus arrival, per request."},
      MetricInfo{"queue_s.*", "s",
                 "Start of the first iteration that computes for the request, minus arrival."},
      MetricInfo{"throughput.requests_per_s", "1/s", "Completed requests over duration."},
      MetricInfo{"throughput.output_tokens_per_s", "tokens/s", "Output tokens over duration."},
      MetricInfo{"throughput.total_tokens_per_s", "tokens/s",
                 "Prompt and output tokens over duration."},
      MetricInfo{"goodput.requests_per_s", "1/s",
                 "Completed requests that met every objective given, over duration."},
      MetricInfo{"slo.attainment", "1",
                 "Share of all requests (rejected ones too) that met every objective given."},
      MetricInfo{"batch.size.mean", "requests", "Requests in an iteration, mean over iterations."},
      MetricInfo{"kv.utilization.mean", "1",
                 "Share of KV blocks that requests hold, mean over time and replicas."},
      MetricInfo{"kv.preemptions", "count", "Times that a request lost its blocks."},
      MetricInfo{
          "prefix.hit_rate", "1",
          "Prompt tokens found in the prefix cache at first scheduling, over prompt tokens."},
      MetricInfo{"gpu.busy", "1", "Share of device time spent computing (host overhead is not)."},
      MetricInfo{"gpu.mfu", "1",
                 "Model FLOP/s over the devices' dense peak at the weights' number format."},
      MetricInfo{"gpu.mbu", "1", "Bytes moved from device memory over the devices' bandwidth."},
      MetricInfo{"cost.usd_per_million_output_tokens", "USD",
                 "Price of all devices over the duration, per million output tokens."},
      MetricInfo{"energy.joules_per_output_token", "J",
                 "Idle power plus the rest of the design power while busy (assumed model)."},
      MetricInfo{"sim.wall_s", "s", "Wall time of the simulation itself."},
      MetricInfo{"sim.events", "count", "Events that the simulator handled."},
      MetricInfo{"sim.events_per_s", "1/s", "Events over wall time."},
      MetricInfo{"sim.peak_rss_bytes", "bytes", "Peak memory of the simulator."},
  };
  return kMetrics;
}

}  // namespace orrery::sim
