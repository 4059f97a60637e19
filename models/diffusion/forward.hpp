#pragma once
// One denoising forward of a diffusion language model: which rows are computed at which layers. A
// caching policy is a rule that turns a request and a step into a Forward; FLOPs and bytes follow.
//
// Symbols as in the literature: P tokens of shared prefix, U request-specific prompt, G generated
// positions, T = P + U + G, R = U + G, B positions of a block that are decoded together.

#include <cstdint>
#include <vector>

#include "models/architecture/architecture.hpp"

namespace orrery::models {

/// Layers that compute the same number of rows.
struct LayerSpan {
  std::int64_t layers = 0;
  std::int64_t rows = 0;        ///< Rows through all matrices and as queries.
  std::int64_t keys = 0;        ///< Positions attended by each row.
  std::int64_t value_rows = 0;  ///< Further rows whose value projection alone is computed.
};

/// One forward of one request.
struct Forward {
  std::vector<LayerSpan>
      spans;                   ///< From the first layer to the last; layers add up to the model's.
  std::int64_t head_rows = 0;  ///< Rows through the LM head.

  std::int64_t rows_at_widest() const;
};

/// Lengths of one request, in tokens.
struct DiffusionLengths {
  std::int64_t prefix = 0;     ///< P
  std::int64_t user = 0;       ///< U
  std::int64_t generated = 0;  ///< G

  std::int64_t total() const { return prefix + user + generated; }
  std::int64_t request() const { return user + generated; }
};

/// `artifact` pays for the LM head on the stored prefix rows as well, because the original
/// implementation of BiCache puts them in front before the head; `trimmed` counts rows whose logits
/// are used.
enum class HeadRule : std::uint8_t { kTrimmed, kArtifact };

/// Weights of one layer's matrices, 2 d H d_h + 2 d d_kv + 3 d ffn (two up-projections and one down
/// when gated).
std::int64_t layer_matrix_weights(const Architecture& model);
/// FLOPs, exact: sum over layers of 2 w n + 4 H d_h n S, plus 2 d V n_h for the head.
std::int64_t diffusion_flops(const Architecture& model, const Forward& forward);

/// Bytes from device memory of one layer for a batch: weights once, K and V of the keys read, of
/// the rows written; `cache_copies` counts whole-cache copies that eager code makes by
/// concatenation.
double diffusion_layer_bytes(const Architecture& model, std::int64_t rows, std::int64_t keys,
                             double cache_copies);
/// Bytes of the LM head: weights once, logits written.
double diffusion_head_bytes(const Architecture& model, std::int64_t head_rows);

/// All rows at all layers, no cache.
Forward full_forward(const Architecture& model, const DiffusionLengths& lengths);
/// Layers 1..depth on the request's own rows against stored prefix K/V, all rows above.
Forward refresh_forward(const Architecture& model, const DiffusionLengths& lengths,
                        std::int64_t depth, HeadRule head);
/// `rows` rows at every layer against all T positions.
Forward uniform_forward(const Architecture& model, const DiffusionLengths& lengths,
                        std::int64_t rows, std::int64_t head_rows);
/// Fills the prefix store: the prefix alone.
Forward prefix_forward(const Architecture& model, std::int64_t prefix);

}  // namespace orrery::models
