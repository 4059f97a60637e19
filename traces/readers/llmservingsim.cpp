// LLMServingSim workloads: JSON lines with seconds, lengths, and ids of full 16-token prompt
// blocks.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry llmservingsim_entry() {
  return {"llmservingsim",
          "LLMServingSim workloads with ids of 16-token prompt blocks (JSON lines).",
          "casys-kaist/LLMServingSim",
          [](std::string_view first, std::string_view) {
            return first.find("\"input_toks\"") != std::string_view::npos &&
                   first.find("\"hash_ids16\"") != std::string_view::npos;
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "arrival_s";
            names.prompt = "input_toks";
            names.output = "output_toks";
            names.block_hashes = "hash_ids16";
            names.block_hashes_needed = true;
            names.hash_block_tokens = 16;
            return make_jsonl_parser(names);
          }};
}

}  // namespace orrery::traces
