#include "models/diffusion/forward.hpp"

#include <algorithm>

namespace orrery::models {
namespace {

constexpr std::int64_t kBytesPerElement = 2;  // bf16

std::int64_t query_width(const Architecture& model) { return model.heads * model.head_dim; }
std::int64_t kv_width(const Architecture& model) { return model.kv_heads * model.head_dim; }

std::int64_t head_weights(const Architecture& model) { return model.hidden * model.head_rows; }

}  // namespace

std::int64_t Forward::rows_at_widest() const {
  std::int64_t widest = 0;
  for (const LayerSpan& span : spans) widest = std::max(widest, span.rows);
  return widest;
}

std::int64_t layer_matrix_weights(const Architecture& model) {
  const std::int64_t feed_forward = (model.gated_ffn ? 3 : 2) * model.hidden * model.ffn;
  return 2 * model.hidden * query_width(model) + 2 * model.hidden * kv_width(model) + feed_forward;
}

std::int64_t diffusion_flops(const Architecture& model, const Forward& forward) {
  const std::int64_t weights = layer_matrix_weights(model);
  const std::int64_t value_projection = 2 * model.hidden * kv_width(model);
  std::int64_t flops = 2 * head_weights(model) * forward.head_rows;
  for (const LayerSpan& span : forward.spans) {
    flops +=
        span.layers * (2 * weights * span.rows + 4 * query_width(model) * span.rows * span.keys +
                       value_projection * span.value_rows);
  }
  return flops;
}

double diffusion_layer_bytes(const Architecture& model, std::int64_t rows, std::int64_t keys,
                             double cache_copies) {
  const auto kv = static_cast<double>(2 * kv_width(model) * kBytesPerElement);
  return static_cast<double>(kBytesPerElement * layer_matrix_weights(model)) +
         kv * static_cast<double>(keys + rows) +
         cache_copies * 2.0 * kv * static_cast<double>(keys);
}

double diffusion_head_bytes(const Architecture& model, std::int64_t head_rows) {
  return static_cast<double>(kBytesPerElement *
                             (head_weights(model) + head_rows * model.head_rows));
}

Forward full_forward(const Architecture& model, const DiffusionLengths& lengths) {
  return uniform_forward(model, lengths, lengths.total(), lengths.total());
}

Forward refresh_forward(const Architecture& model, const DiffusionLengths& lengths,
                        std::int64_t depth, HeadRule head) {
  Forward forward;
  if (depth > 0) forward.spans.push_back({depth, lengths.request(), lengths.total(), 0});
  if (depth < model.layers) {
    forward.spans.push_back({model.layers - depth, lengths.total(), lengths.total(), 0});
  }
  forward.head_rows = head == HeadRule::kArtifact ? lengths.total() : lengths.request();
  return forward;
}

Forward uniform_forward(const Architecture& model, const DiffusionLengths& lengths,
                        std::int64_t rows, std::int64_t head_rows) {
  Forward forward;
  forward.spans.push_back({model.layers, rows, lengths.total(), 0});
  forward.head_rows = head_rows;
  return forward;
}

Forward prefix_forward(const Architecture& model, std::int64_t prefix) {
  return uniform_forward(model, DiffusionLengths{prefix, 0, 0}, prefix, prefix);
}

}  // namespace orrery::models
