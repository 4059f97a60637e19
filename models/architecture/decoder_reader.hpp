#pragma once
// What decoder families share when they are read from a configuration.

#include <cstdint>

#include "models/architecture/architecture.hpp"
#include "models/architecture/config_reader.hpp"

namespace orrery::models::detail {

/// What the transformers library takes where a key is absent. Sizes that it would make up silently
/// (hidden size, layers, vocabulary) are required here, unless the family's published files leave
/// them out. 0: as each field says.
struct DecoderDefaults {
  std::int64_t kv_heads = 0;       ///< 0: as many as heads.
  std::int64_t head_dim = 0;       ///< 0: hidden / heads.
  std::int64_t max_positions = 0;  ///< 0: required.
  bool tied = false;
  std::int64_t heads = 0;       ///< 0: required.
  std::int64_t vocabulary = 0;  ///< 0: required.
  std::int64_t ffn = 0;         ///< 0: required.
  const char* ffn_key = "intermediate_size";
};

/// Sizes that nearly all decoders name alike.
void read_decoder(ConfigReader& c, Architecture& a, const DecoderDefaults& defaults);

/// hidden / heads; a fault at `key` when that is no whole number.
std::int64_t divided_head_dim(ConfigReader& c, const Architecture& a, const char* key);

/// `layer_types` of newer files names the kind of every layer. Read are the patterns that exist:
/// leading full layers, then windows with every n-th layer full. The window's size must be known.
void read_layer_types(ConfigReader& c, Architecture& a);

}  // namespace orrery::models::detail
