// Any text is an architecture with sane figures or a list of faults.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/architecture/config_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::models;
  const auto model = parse_config_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!model) return model.faults().empty() ? std::abort(), 0 : 0;
  if (count_parameters(*model).total < 0) std::abort();
  if (!(kv_bytes_per_token(*model, DataType::kBf16) > 0.0)) std::abort();
  if (!(forward_flops(*model, 7, 100, 1) > 0.0)) std::abort();
  return 0;
}
