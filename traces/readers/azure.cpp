// Azure LLM inference traces of 2023 and 2024 (Azure/AzurePublicDataset): TIMESTAMP as date and
// time, with seven fraction digits in 2023 and a time zone in 2024; ContextTokens, GeneratedTokens.

#include "traces/readers/entries.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {

FormatEntry azure_entry() {
  return {"azure", "Azure LLM inference traces of 2023 and 2024 (CSV).",
          "Azure/AzurePublicDataset; Patel et al., Splitwise, ISCA 2024",
          [](std::string_view first, std::string_view) {
            return has_columns(first, {"TIMESTAMP", "ContextTokens", "GeneratedTokens"});
          },
          [](const config::TraceColumns&) {
            FieldNames names;
            names.arrival = "TIMESTAMP";
            names.timestamps = true;
            names.prompt = "ContextTokens";
            names.output = "GeneratedTokens";
            return make_csv_parser(names);
          }};
}

}  // namespace orrery::traces
