// Plain CSV and JSON lines with the columns that the scenario names.

#include "scenarios/scenario.pb.h"
#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

CsvLayout layout_of(const config::TraceColumns& columns) {
  CsvLayout layout;
  layout.arrival = columns.arrival();
  layout.arrival_unit_s = columns.arrival_unit();
  layout.prompt = columns.prompt();
  layout.output = columns.output();
  layout.session = columns.session();
  layout.block_hashes = columns.block_hashes();
  layout.hash_block_tokens = columns.hash_block_tokens();
  return layout;
}

}  // namespace

FormatEntry csv_entry() {
  return {"csv", "CSV with a header; columns as named in the scenario.", "anybody",
          [](std::string_view first, std::string_view second) {
            return !second.empty() && first.find(',') != std::string_view::npos &&
                   first.front() != '{';
          },
          [](const config::TraceColumns& columns) { return make_csv_parser(layout_of(columns)); }};
}

FormatEntry jsonl_entry() {
  return {
      "jsonl", "JSON lines; keys as named in the scenario.", "anybody",
      [](std::string_view first, std::string_view) {
        return !first.empty() && first.front() == '{';
      },
      [](const config::TraceColumns& columns) { return make_jsonl_parser(layout_of(columns)); }};
}

}  // namespace orrery::traces
