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

/// The whole workload, changed in this order:
/// 1. `start`, `duration`: requests with start <= arrival < start + duration; arrivals count from
///    `start` on. What lies behind the window is not read.
/// 2. `sample`: chosen by seed and place in the source, whatever the other options; a smaller share
///    is a subset of a larger one. Turns of a session are kept or left out together.
/// 3. `limit`: the first so many.
/// 4. `repeat`: plays them again, each time one mean gap after the last one. It is the same
/// traffic:
///    sessions and block ids are equal, so that prefixes are found again.
/// 5. `rate_scale`: divides arrival times.
/// 6. `warp_amplitude`, `warp_period`: moves a time t to t' with
///    t' + (aT/2pi)(1 - cos(2 pi t'/T)) = t, so that the rate swings as 1 + a sin(2 pi t'/T).
/// 7. `max_prompt_tokens`, `max_output_tokens`, `max_total_tokens`: see clip_lengths().
/// Requests are numbered anew from 0. Options out of range, no request left, and arrivals after 285
/// years are faults.
Result<std::unique_ptr<RequestSource>> make_source(const config::Workload& workload,
                                                   std::uint64_t seed);

/// A recorded trace alone: a file, or a shipped sample by name.
Result<std::unique_ptr<RequestSource>> open_trace(const config::Trace& trace);

/// Names of the shipped samples, and of the formats that can be read ("auto" first).
std::vector<std::string> sample_names();
std::vector<std::string> format_names();

}  // namespace orrery::traces
