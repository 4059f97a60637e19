// Vidur: CSV of lengths; arrived_at in seconds where there is such a column, else all at time zero.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry vidur_entry() {
  return {"vidur", "Vidur length traces; without arrived_at everything arrives at once (CSV).",
          "microsoft/vidur; Agrawal et al., MLSys 2024",
          [](std::string_view first, std::string_view) {
            return has_columns(first, {"num_prefill_tokens", "num_decode_tokens"});
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "arrived_at";
            names.arrival_needed = false;
            names.prompt = "num_prefill_tokens";
            names.output = "num_decode_tokens";
            return make_csv_parser(names);
          }};
}

}  // namespace orrery::traces
