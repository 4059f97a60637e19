#pragma once
// From a scenario's workload to a stream of requests: a recorded trace or a generator, then window,
// sample, limit, repeat, rate, time warp and cut lengths, in this order.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/request.hpp"

namespace orrery::config {
class Workload;
class Trace;
}  // namespace orrery::config

namespace orrery::traces {

/// The whole workload. Requests are numbered anew from 0; arrivals count from the window's start.
/// Repeats play the same requests again, with the same block ids, one mean gap after the last one.
/// The time warp maps a time t of the trace to t' with t' + (aT/2pi)(1 - cos(2 pi t'/T)) = t, so
/// that the rate swings as 1 + a sin(2 pi t'/T).
Result<std::unique_ptr<RequestSource>> make_source(const config::Workload& workload,
                                                   std::uint64_t seed);

/// A recorded trace alone: a file, or a shipped sample by name.
Result<std::unique_ptr<RequestSource>> open_trace(const config::Trace& trace);

/// Names of the shipped samples, and of the formats that can be read ("auto" first).
std::vector<std::string> sample_names();
std::vector<std::string> format_names();

/// Cuts the request to these lengths (0: uncut), prompt first, and drops ids of blocks that are
/// gone.
void clip_lengths(Request& request, std::int64_t max_prompt, std::int64_t max_output,
                  std::int64_t max_total);

}  // namespace orrery::traces
