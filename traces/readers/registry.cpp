#include <array>

#include "traces/readers/entries.hpp"

namespace orrery::traces {

std::span<const FormatEntry> formats() {
  static const std::array entries{azure_entry(),    mooncake_entry(), llmservingsim_entry(),
                                  burstgpt_entry(), vidur_entry(),    splitwise_entry(),
                                  csv_entry(),      jsonl_entry()};
  return entries;
}

}  // namespace orrery::traces
