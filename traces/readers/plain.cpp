// Plain CSV and JSON lines with the columns that the scenario names.

#include "scenarios/scenario.pb.h"
#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

// What write_trace() writes is taken back without naming anything.
FieldNames names_of(const config::TraceColumns& columns) {
  FieldNames names;
  names.arrival = columns.arrival();
  names.arrival_unit_s = columns.arrival_unit();
  names.prompt = columns.prompt();
  names.output = columns.output();
  names.session_needed = !columns.session().empty();
  names.session = names.session_needed ? columns.session() : "session";
  names.turn = "turn";
  names.block_hashes_needed = !columns.block_hashes().empty();
  names.block_hashes = names.block_hashes_needed ? columns.block_hashes() : "block_hashes";
  names.hash_block_tokens = columns.hash_block_tokens();
  if (!columns.has_hash_block_tokens()) names.hash_block_tokens_name = "hash_block_tokens";
  return names;
}

}  // namespace

FormatEntry csv_entry() {
  return {"csv", "CSV with a header; columns as named in the scenario.", "anybody",
          [](std::string_view first, std::string_view) {
            return first.find(',') != std::string_view::npos && first.front() != '{';
          },
          [](const config::TraceColumns& columns) { return make_csv_parser(names_of(columns)); }};
}

FormatEntry jsonl_entry() {
  return {"jsonl", "JSON lines; keys as named in the scenario.", "anybody",
          [](std::string_view first, std::string_view) {
            return !first.empty() && first.front() == '{';
          },
          [](const config::TraceColumns& columns) { return make_jsonl_parser(names_of(columns)); }};
}

}  // namespace orrery::traces
