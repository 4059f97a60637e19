#include "models/architecture/architecture.hpp"

#include <algorithm>

#include "models/architecture/layer_weights.hpp"

namespace orrery::models {
namespace {

template <class Number>
struct Count {
  Number total = 0;
  Number active = 0;
};

template <class Number>
Count<Number> count(const Architecture& a) {
  const auto moe = static_cast<Number>(moe_layers(a));
  const auto dense = static_cast<Number>(a.layers) - moe;
  Number outside = embedding_parameters<Number>(a) + head_parameters<Number>(a) +
                   static_cast<Number>(a.extra_parameters);
  if (a.final_norm) outside += norm_parameters<Number>(a);
  if (a.embedding_norm) outside += norm_parameters<Number>(a);
  // Kinds of layers that do not occur are left out: what is not there cannot overflow.
  Count<Number> result{outside, outside};
  if (dense > 0) {
    const auto dense_layer = layer_weights<Number>(a, false);
    result.total += dense * dense_layer.total();
    result.active += dense * dense_layer.active();
  }
  if (moe > 0) {
    const auto moe_layer = layer_weights<Number>(a, true);
    result.total += moe * moe_layer.total();
    result.active += moe * moe_layer.active();
  }
  return result;
}

std::int64_t windowed_layers(const Architecture& a) {
  if (a.sliding_window <= 0) return 0;
  const std::int64_t first = std::clamp<std::int64_t>(a.first_windowed_layer, 0, a.layers);
  std::int64_t windowed = a.layers - first;
  if (a.full_attention_every > 0) {
    windowed -= a.layers / a.full_attention_every - first / a.full_attention_every;
  }
  return windowed;
}

// Pairs (query, key) of one head: new tokens follow `context` ones; window 0 is unlimited.
double attended_pairs(double tokens, double context, double window, bool bidirectional) {
  if (bidirectional) {
    const double span = context + tokens;
    return tokens * (window > 0 ? std::min(span, window) : span);
  }
  if (window <= 0 || context + tokens <= window) {
    return tokens * context + tokens * (tokens + 1) / 2;
  }
  const double growing = std::max(0.0, window - context);
  return growing * context + growing * (growing + 1) / 2 + (tokens - growing) * window;
}

// Cached elements of one token in one layer.
double cached_elements(const Architecture& a) {
  if (a.latent) {
    return static_cast<double>(a.latent->kv_lora_rank) +
           static_cast<double>(a.latent->qk_rope_head_dim);
  }
  return 2.0 * static_cast<double>(a.kv_heads) * static_cast<double>(a.head_dim);
}

}  // namespace

double bytes_per_element(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return 4.0;
    case DataType::kBf16:
    case DataType::kFp16:
      return 2.0;
    case DataType::kFp8:
    case DataType::kInt8:
      return 1.0;
    case DataType::kFp4:
    case DataType::kInt4:
      return 0.5;
  }
  return 0.0;
}

ParameterCount count_parameters(const Architecture& architecture) {
  const auto counted = count<std::int64_t>(architecture);
  ParameterCount result;
  result.total = counted.total;
  result.active = counted.active;
  result.embedding = embedding_parameters<std::int64_t>(architecture);
  result.head = head_parameters<std::int64_t>(architecture);
  return result;
}

double approximate_parameters(const Architecture& architecture) {
  return count<double>(architecture).total;
}

std::int64_t attention_matrix_weights(const Architecture& architecture) {
  LayerWeights<std::int64_t> weights;
  detail::add_attention(architecture, weights);
  return weights.active_matrices();
}

std::int64_t active_ffn_matrix_weights(const Architecture& architecture, std::int64_t layer) {
  LayerWeights<std::int64_t> weights;
  detail::add_feed_forward(architecture, is_moe_layer(architecture, layer), weights);
  return weights.active_matrices();
}

bool is_moe_layer(const Architecture& architecture, std::int64_t layer) {
  if (!architecture.moe || layer < 0 || layer >= architecture.layers) return false;
  const MixtureOfExperts& moe = *architecture.moe;
  const std::int64_t step = std::max<std::int64_t>(1, moe.layer_step);
  if (layer < moe.first_dense_layers || (layer + moe.layer_offset) % step != 0) return false;
  return !std::binary_search(moe.dense_layers.begin(), moe.dense_layers.end(), layer);
}

std::int64_t moe_layers(const Architecture& architecture) {
  if (!architecture.moe || architecture.layers <= 0) return 0;
  const MixtureOfExperts& moe = *architecture.moe;
  const std::int64_t step = std::max<std::int64_t>(1, moe.layer_step);
  const std::int64_t offset = std::max<std::int64_t>(0, moe.layer_offset) % step;
  const std::int64_t first = std::max<std::int64_t>(0, moe.first_dense_layers);
  if (first >= architecture.layers) return 0;
  // Multiples of step in [first + offset, layers + offset).
  std::int64_t counted = (architecture.layers - 1 + offset) / step + 1;
  if (first + offset > 0) counted -= (first + offset - 1) / step + 1;
  for (const std::int64_t layer : moe.dense_layers) {
    const bool in_range = layer >= first && layer < architecture.layers;
    if (in_range && (layer + offset) % step == 0) --counted;
  }
  return counted;
}

std::int64_t attention_window(const Architecture& architecture, std::int64_t layer) {
  if (architecture.sliding_window <= 0 || layer < architecture.first_windowed_layer) return 0;
  const std::int64_t every = architecture.full_attention_every;
  if (every > 0 && (layer + 1) % every == 0) return 0;
  return architecture.sliding_window;
}

double kv_bytes_per_token(const Architecture& architecture, DataType kv_dtype) {
  return static_cast<double>(architecture.layers) * cached_elements(architecture) *
         bytes_per_element(kv_dtype);
}

double kv_bytes_of_sequence(const Architecture& architecture, DataType kv_dtype,
                            std::int64_t tokens) {
  const auto length = static_cast<double>(std::max<std::int64_t>(0, tokens));
  const auto windowed = static_cast<double>(windowed_layers(architecture));
  const double full = static_cast<double>(architecture.layers) - windowed;
  const double kept = std::min(length, static_cast<double>(architecture.sliding_window));
  return (full * length + (windowed > 0 ? windowed * kept : 0.0)) * cached_elements(architecture) *
         bytes_per_element(kv_dtype);
}

double forward_flops(const Architecture& architecture, std::int64_t tokens, std::int64_t context,
                     std::int64_t logit_rows) {
  const Architecture& a = architecture;
  const auto new_tokens = static_cast<double>(std::max<std::int64_t>(0, tokens));
  const auto cached = static_cast<double>(std::max<std::int64_t>(0, context));
  const auto moe = static_cast<double>(moe_layers(a));
  const double dense = static_cast<double>(a.layers) - moe;
  const double weights = dense * layer_weights<double>(a, false).active_matrices() +
                         moe * layer_weights<double>(a, true).active_matrices();

  double score_width = 2.0 * static_cast<double>(a.head_dim);  // QK^T and its product with V.
  if (a.latent) {
    score_width = static_cast<double>(a.latent->qk_nope_head_dim) +
                  static_cast<double>(a.latent->qk_rope_head_dim) +
                  static_cast<double>(a.latent->v_head_dim);
  }
  const auto windowed = static_cast<double>(windowed_layers(a));
  const double full = static_cast<double>(a.layers) - windowed;
  const auto window = static_cast<double>(a.sliding_window);
  const double pairs = full * attended_pairs(new_tokens, cached, 0.0, a.bidirectional) +
                       windowed * attended_pairs(new_tokens, cached, window, a.bidirectional);
  const double attention = static_cast<double>(a.heads) * score_width * pairs;

  const double width = static_cast<double>(a.embedding_width > 0 ? a.embedding_width : a.hidden);
  const double head = static_cast<double>(std::max<std::int64_t>(0, logit_rows)) * width *
                      static_cast<double>(a.head_rows);
  return 2.0 * (new_tokens * weights + attention + head);
}

}  // namespace orrery::models
