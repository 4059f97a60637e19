#pragma once
// Vocabularies and a small valid scenario for tests.

#include <string>
#include <vector>

#include "scenarios/loader.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::scenarios::testing {

inline Vocabularies vocabularies() {
  return {{"device", {"h100-sxm-80gb", "a100-sxm-80gb", "h200-sxm-141gb", "l40s", "rtx-4090"}},
          {"model", {"llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "qwen3-8b"}},
          {"profile", {"auto", "roofline"}},
          {"dtype", {"bf16", "fp16", "fp8"}},
          {"scheduler", {"static", "orca", "vllm_v0", "vllm", "sarathi"}},
          {"router", {"round_robin", "random", "least_outstanding", "power_of_two"}},
          {"trace_sample", {"azure-conv-2023", "azure-code-2023", "mooncake-conversation"}},
          {"trace_format", {"auto", "azure", "csv"}}};
}

inline const char* kSmall =
    "kind: serving\n"
    "cluster: h100-sxm-80gb\n"
    "model: llama-3.1-8b\n"
    "workload:\n"
    "  trace: azure-conv-2023\n";

inline Result<config::Scenario> parse(const std::string& text,
                                      const std::vector<std::string>& overrides = {}) {
  return parse_scenario(text, "test.yaml", "", overrides, vocabularies());
}

}  // namespace orrery::scenarios::testing
