#pragma once
// Writes a source as CSV or JSON lines that the readers `csv` and `jsonl` take back.

#include <cstdint>
#include <string>

#include "traces/request.hpp"

namespace orrery::traces {

/// By the path's ending: .csv or .jsonl, then nothing, .gz or .zst. Appears whole or not at all.
/// Returns the number of requests written.
Result<std::int64_t> write_trace(RequestSource& source, const std::string& path);

}  // namespace orrery::traces
