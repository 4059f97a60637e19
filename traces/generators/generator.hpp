#pragma once
// Synthetic workloads. Each quantity draws from a stream of its own (arrivals, prompt, output,
// ...), so that changing one leaves the others as they were.

#include <cstdint>
#include <memory>

#include "traces/request.hpp"

namespace orrery::config {
class Generator;
class Lengths;
class Arrivals;
}  // namespace orrery::config

namespace orrery::traces {

/// A source of config.requests() requests. Requires options within the ranges of the schema, as
/// check_workload() finds them.
/// - Ids of blocks of 16 tokens are given where requests share prefixes, and then for all full
///   blocks of a prompt (the first million): those of a group's prefix are the group's, the rest
///   belong to the request alone, or to its session. A session's ids cover its answers too, so that
///   the next turn finds both.
/// - Sessions: the mean rate stays that of requests, so sessions begin at rate / turns; it is
///   reached once sessions of the mean length have come to their end. Memory grows with the
///   sessions that go on at the same time (80 bytes each).
/// - Arrivals after 285 years are a fault.
Result<std::unique_ptr<RequestSource>> make_generator(const config::Generator& config,
                                                      std::uint64_t seed);

}  // namespace orrery::traces
