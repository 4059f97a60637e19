// BurstGPT: CSV with seconds; rows of zero response tokens are failed requests and are left out.
// The later files have a Session ID, empty for requests outside a conversation.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry burstgpt_entry() {
  return {"burstgpt", "BurstGPT traces; failed requests (no response tokens) are left out (CSV).",
          "HPMLL/BurstGPT; Wang et al. 2024",
          [](std::string_view first, std::string_view) {
            return has_columns(first, {"Timestamp", "Request tokens", "Response tokens"});
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "Timestamp";
            names.prompt = "Request tokens";
            names.output = "Response tokens";
            names.session = "Session ID";
            names.skip_empty_output = true;
            return make_csv_parser(names);
          }};
}

}  // namespace orrery::traces
