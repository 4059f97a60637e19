#pragma once
// Writes a source as CSV or JSON lines that the readers `csv` and `jsonl` take back.

#include <cstdint>
#include <string>

#include "traces/request.hpp"

namespace orrery::traces {

/// By the path's ending: .csv or .jsonl, then nothing, .gz or .zst. Appears whole or not at all; a
/// full disk is a fault. Columns or keys: arrival_s (to the nanosecond), prompt_tokens,
/// output_tokens, session (empty or -1: none; turns are counted when it is read),
/// hash_block_tokens, block_hashes (in CSV separated by spaces). Returns the number of requests
/// written.
Result<std::int64_t> write_trace(RequestSource& source, const std::string& path);

}  // namespace orrery::traces
