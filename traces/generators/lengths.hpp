#pragma once
// Distributions of token counts.

#include <cstdint>
#include <memory>

#include "models/result.hpp"
#include "sim/core/random.hpp"

namespace orrery::config {
class Lengths;
}

namespace orrery::traces {

class LengthLaw {
 public:
  virtual ~LengthLaw() = default;
  virtual std::int64_t draw(sim::RandomStream& random) const = 0;
};

/// Which lengths an empirical law takes from its trace.
enum class LengthOf : std::uint8_t { kPrompt, kOutput };

/// The law, with its bounds applied. `field` names it in faults.
Result<std::unique_ptr<LengthLaw>> make_length_law(const config::Lengths& config, LengthOf which,
                                                   const char* field);

}  // namespace orrery::traces
