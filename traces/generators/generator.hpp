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

/// A source of config.requests() requests. Ids of blocks (of 16 tokens) are given where requests
/// share prefixes: for groups, the group's part; for sessions, everything said so far and the
/// answer, so that the next turn finds both.
Result<std::unique_ptr<RequestSource>> make_generator(const config::Generator& config,
                                                      std::uint64_t seed);

}  // namespace orrery::traces
