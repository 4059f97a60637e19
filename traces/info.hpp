#pragma once
// What a trace is like: rates, burstiness, lengths and how much of its prompts is shared.

#include <cstdint>

#include "sim/core/stats.hpp"
#include "traces/request.hpp"

namespace orrery::traces {

struct TraceInfo {
  std::int64_t requests = 0;
  double span_s = 0.0;             ///< First to last arrival.
  double mean_rate = 0.0;          ///< Requests a second over the span.
  double peak_rate_minute = 0.0;   ///< Of the busiest minute, requests a second.
  double gap_cv = 0.0;             ///< Coefficient of variation of the gaps between arrivals.
  double dispersion_minute = 0.0;  ///< Variance over mean of the counts by minute (1: Poisson).
  sim::Distribution prompt_tokens;
  sim::Distribution output_tokens;
  double length_correlation = 0.0;  ///< Of prompt and output length.
  std::int64_t sessions = 0;        ///< Different session ids.
  std::int64_t prompt_blocks = 0;   ///< Blocks with ids.
  std::int64_t unique_blocks = 0;
  double block_reuse = 0.0;     ///< Share of blocks seen before: hit rate of an endless cache.
  bool blocks_complete = true;  ///< False: too many different blocks, the last were not tracked.
};

/// Reads the source to its end.
Result<TraceInfo> inspect(RequestSource& source);

}  // namespace orrery::traces
