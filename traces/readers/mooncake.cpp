// Mooncake traces: JSON lines with milliseconds, lengths, and prefix-chained ids of 512-token
// blocks.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry mooncake_entry() {
  return {"mooncake", "Mooncake traces with ids of 512-token prompt blocks (JSON lines).",
          "kvcache-ai/Mooncake; Qin et al., FAST 2025",
          [](std::string_view first, std::string_view) {
            return first.find("\"input_length\"") != std::string_view::npos &&
                   first.find("\"hash_ids\"") != std::string_view::npos;
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "timestamp";
            names.arrival_unit_s = 1e-3;
            names.prompt = "input_length";
            names.output = "output_length";
            names.block_hashes = "hash_ids";
            names.block_hashes_needed = true;
            names.hash_block_tokens = 512;
            return make_jsonl_parser(names);
          }};
}

}  // namespace orrery::traces
