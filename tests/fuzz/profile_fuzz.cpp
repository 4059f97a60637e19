// Any bytes are a profile whose values are positive numbers, or a fault.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/cost/profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::models;
  const auto profile = Profile::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!profile) return profile.faults().empty() ? std::abort(), 0 : 0;
  for (const std::string& variant : profile->variants("gemm")) {
    const auto table = profile->table("gemm", variant);
    if (!table) continue;
    for (const double value : table->values) {
      if (!(value > 0.0) || !std::isfinite(value)) std::abort();
    }
    for (const auto& column : table->columns) {
      if (column.size() != table->rows()) std::abort();
    }
  }
  return 0;
}
