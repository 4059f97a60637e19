#pragma once
// What a trace is like: rates, burstiness, lengths and how much of its prompts is shared.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/stats.hpp"
#include "traces/request.hpp"

namespace orrery::traces {

struct TraceInfo {
  std::int64_t requests = 0;
  double span_s = 0.0;             ///< First to last arrival.
  double mean_rate = 0.0;          ///< Requests a second over the span.
  double peak_rate_second = 0.0;   ///< Of the busiest second (from the first arrival on).
  double peak_rate_minute = 0.0;   ///< Of the busiest minute, requests a second.
  double gap_cv = 0.0;             ///< Coefficient of variation of the gaps between arrivals.
  double dispersion_minute = 0.0;  ///< Variance over mean of the counts by minute (1: Poisson).
  sim::Distribution prompt_tokens;
  sim::Distribution output_tokens;
  double length_correlation = 0.0;  ///< Of prompt and output length (Pearson).
  std::int64_t sessions = 0;        ///< Different session ids.
  std::int64_t prompt_blocks = 0;   ///< Blocks of prompts with ids.
  std::int64_t unique_blocks = 0;   ///< Of those, the ones that no request before had.
  double block_reuse = 0.0;         ///< Share of blocks had before: hits of an endless cache.
  /// Prompt tokens in such blocks over all prompt tokens, of requests without ids as well. An
  /// engine finds less: it computes at least a prompt's last token, and waits for blocks to be
  /// computed.
  double token_reuse = 0.0;
  bool blocks_complete = true;     ///< False: blocks are estimated, see DistinctIds.
  std::vector<std::string> notes;  ///< What the source has to say.
};

/// Reads the source to its end. Memory is bounded (under 40 MiB) whatever the length; quantiles of
/// lengths are exact up to a million tokens (LengthCounts).
Result<TraceInfo> inspect(RequestSource& source);

}  // namespace orrery::traces
