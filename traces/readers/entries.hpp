#pragma once
// One function a format; registry.cpp lists them.

#include "traces/reader.hpp"

namespace orrery::traces {

FormatEntry azure_entry();
FormatEntry mooncake_entry();
FormatEntry llmservingsim_entry();
FormatEntry burstgpt_entry();
FormatEntry vidur_entry();
FormatEntry splitwise_entry();
FormatEntry csv_entry();
FormatEntry jsonl_entry();

}  // namespace orrery::traces
