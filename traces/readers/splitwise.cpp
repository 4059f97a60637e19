// SplitwiseSim request traces: CSV with seconds, prompt_size and token_size.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry splitwise_entry() {
  return {"splitwise", "SplitwiseSim request traces (CSV).", "Mutinifni/splitwise-sim",
          [](std::string_view first, std::string_view) {
            return has_columns(first, {"arrival_timestamp", "prompt_size", "token_size"});
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "arrival_timestamp";
            names.prompt = "prompt_size";
            names.output = "token_size";
            return make_csv_parser(names);
          }};
}

}  // namespace orrery::traces
