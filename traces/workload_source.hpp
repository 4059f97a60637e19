#pragma once
// The changes that a workload makes to its source: window, sample, limit, repeat, rate, time warp,
// cut lengths.

#include <cstdint>
#include <functional>
#include <memory>

#include "traces/request.hpp"

namespace orrery::config {
class Workload;
}

namespace orrery::traces {

/// Opens the same requests from the start, for every repeat once.
using OpenSource = std::function<Result<std::unique_ptr<RequestSource>>()>;

/// Requires options that check_workload() accepts, and `first` as `open` gives it.
std::unique_ptr<RequestSource> change_source(const config::Workload& workload, std::uint64_t seed,
                                             OpenSource open, std::unique_ptr<RequestSource> first);

/// Cuts the request to these lengths (0: uncut). max_total takes from the prompt first, down to one
/// token, and only then from the output. Of a prompt that was cut, the ids of the full blocks that
/// are left stay: what follows is no longer what the ids beyond stood for.
void clip_lengths(Request& request, std::int64_t max_prompt, std::int64_t max_output,
                  std::int64_t max_total);

}  // namespace orrery::traces
