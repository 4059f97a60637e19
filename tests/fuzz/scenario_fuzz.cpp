// Any text is a scenario or a list of faults; a scenario that loads can be printed and loaded
// again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenarios/describe.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/scenario.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const orrery::scenarios::Vocabularies names{
      {"device", {"h100"}}, {"model", {"llama"}}, {"scheduler", {"vllm"}}, {"trace_sample", {"a"}}};
  const auto scenario = orrery::scenarios::parse_scenario(text, "fuzz", "", {}, names);
  if (!scenario) return scenario.faults().empty() ? std::abort(), 0 : 0;
  const std::string printed = orrery::scenarios::resolved_yaml(*scenario);
  const auto again = orrery::scenarios::parse_scenario(printed, "fuzz", "", {}, names);
  if (!again ||
      orrery::scenarios::canonical_text(*again) != orrery::scenarios::canonical_text(*scenario)) {
    std::abort();
  }
  return 0;
}
