#include "models/architecture/architecture.hpp"

#include <algorithm>

namespace orrery::models {
namespace {

// Parameters of one normalisation over the hidden size.
std::int64_t norm_parameters(const Architecture& a) {
  return a.norm == NormKind::kLayer ? 2 * a.hidden : a.hidden;
}

std::int64_t latent_norm_parameters(const LatentAttention& latent) {
  return latent.q_lora_rank + latent.kv_lora_rank;
}

std::int64_t attention_parameters(const Architecture& a) {
  std::int64_t count = attention_matrix_weights(a);
  if (a.latent) return count + latent_norm_parameters(*a.latent);
  const std::int64_t query = a.heads * a.head_dim;
  const std::int64_t kv = a.kv_heads * a.head_dim;
  if (a.qkv_bias) count += query + 2 * kv;
  if (a.attention_output_bias) count += a.hidden;
  if (a.qk_norm) count += 2 * a.head_dim;
  return count;
}

std::int64_t dense_ffn_parameters(const Architecture& a) {
  std::int64_t count = (a.gated_ffn ? 3 : 2) * a.hidden * a.ffn;
  if (a.ffn_bias) count += (a.gated_ffn ? 2 : 1) * a.ffn + a.hidden;
  return count;
}

std::int64_t moe_ffn_parameters(const Architecture& a, std::int64_t experts) {
  const MixtureOfExperts& moe = *a.moe;
  std::int64_t count = a.hidden * moe.experts;  // router
  if (moe.router_bias) count += moe.experts;
  if (moe.shared_gate) count += a.hidden;
  return count + 3 * a.hidden * (experts * moe.expert_ffn + moe.shared_ffn);
}

// Sum over the new tokens of the positions that each attends to.
double attended_pairs(const Architecture& a, std::int64_t layer, std::int64_t tokens,
                      std::int64_t context) {
  const auto n = static_cast<double>(tokens);
  const auto c = static_cast<double>(context);
  if (a.bidirectional) return n * (c + n);
  const std::int64_t window = attention_window(a, layer);
  if (window == 0 || context + tokens <= window) return n * c + n * (n + 1.0) / 2.0;
  if (context >= window) return n * static_cast<double>(window);
  // The first tokens still see everything, the others a full window.
  const auto growing = static_cast<double>(window - context);
  return growing * c + growing * (growing + 1.0) / 2.0 +
         (n - growing) * static_cast<double>(window);
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
  return 2.0;
}

std::int64_t attention_matrix_weights(const Architecture& a) {
  if (a.latent) {
    const LatentAttention& l = *a.latent;
    const std::int64_t query = a.heads * (l.qk_nope_head_dim + l.qk_rope_head_dim);
    const std::int64_t q =
        l.q_lora_rank > 0 ? a.hidden * l.q_lora_rank + l.q_lora_rank * query : a.hidden * query;
    return q + a.hidden * (l.kv_lora_rank + l.qk_rope_head_dim) +
           l.kv_lora_rank * a.heads * (l.qk_nope_head_dim + l.v_head_dim) +
           a.heads * l.v_head_dim * a.hidden;
  }
  return 2 * a.hidden * a.heads * a.head_dim + 2 * a.hidden * a.kv_heads * a.head_dim;
}

std::int64_t active_ffn_matrix_weights(const Architecture& a, std::int64_t layer) {
  if (!is_moe_layer(a, layer)) return (a.gated_ffn ? 3 : 2) * a.hidden * a.ffn;
  const MixtureOfExperts& moe = *a.moe;
  return a.hidden * moe.experts + (moe.shared_gate ? a.hidden : 0) +
         3 * a.hidden * (moe.experts_per_token * moe.expert_ffn + moe.shared_ffn);
}

bool is_moe_layer(const Architecture& a, std::int64_t layer) {
  if (!a.moe || layer < a.moe->first_dense_layers) return false;
  const std::int64_t step = std::max<std::int64_t>(1, a.moe->layer_step);
  // As in the Hugging Face models: with a step of n, layers n-1, 2n-1, ... have experts.
  return step == 1 || (layer + 1) % step == 0;
}

std::int64_t moe_layers(const Architecture& a) {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < a.layers; ++layer) count += is_moe_layer(a, layer) ? 1 : 0;
  return count;
}

std::int64_t attention_window(const Architecture& a, std::int64_t layer) {
  if (a.sliding_window == 0) return 0;
  if (a.full_attention_every > 0 && (layer + 1) % a.full_attention_every == 0) return 0;
  return a.sliding_window;
}

ParameterCount count_parameters(const Architecture& a) {
  ParameterCount count;
  count.embedding = (a.vocabulary + a.learned_positions + a.token_types) * a.hidden;
  count.head = a.tied_embeddings ? 0 : a.head_rows * a.hidden;
  if (a.head_bias) count.head += a.head_rows;
  const std::int64_t experts_layers = moe_layers(a);
  const std::int64_t dense_layers = a.layers - experts_layers;
  std::int64_t common =
      a.layers * (attention_parameters(a) + a.norms_per_layer * norm_parameters(a));
  common += dense_layers * dense_ffn_parameters(a);
  if (a.final_norm) common += norm_parameters(a);
  if (a.embedding_norm) common += 2 * a.hidden;
  common += count.embedding + count.head + a.extra_parameters;
  count.total = common;
  count.active = common;
  if (experts_layers > 0) {
    count.total += experts_layers * moe_ffn_parameters(a, a.moe->experts);
    count.active += experts_layers * moe_ffn_parameters(a, a.moe->experts_per_token);
  }
  return count;
}

double kv_bytes_per_token(const Architecture& a, DataType kv_dtype) {
  const double bytes = bytes_per_element(kv_dtype);
  if (a.latent) {
    return static_cast<double>(a.layers * (a.latent->kv_lora_rank + a.latent->qk_rope_head_dim)) *
           bytes;
  }
  return static_cast<double>(2 * a.layers * a.kv_heads * a.head_dim) * bytes;
}

double forward_flops(const Architecture& a, std::int64_t tokens, std::int64_t context,
                     std::int64_t logit_rows) {
  const auto n = static_cast<double>(tokens);
  // FLOPs of one attended pair: a product with the key and one with the value, all heads.
  const double per_pair =
      a.latent
          ? 2.0 * static_cast<double>(a.heads * (a.latent->qk_nope_head_dim +
                                                 a.latent->qk_rope_head_dim + a.latent->v_head_dim))
          : 4.0 * static_cast<double>(a.heads * a.head_dim);
  const auto attention = static_cast<double>(attention_matrix_weights(a));
  double flops = 0.0;
  for (std::int64_t layer = 0; layer < a.layers; ++layer) {
    const auto ffn = static_cast<double>(active_ffn_matrix_weights(a, layer));
    flops += 2.0 * n * (attention + ffn) + per_pair * attended_pairs(a, layer, tokens, context);
  }
  return flops + 2.0 * static_cast<double>(a.hidden) * static_cast<double>(a.head_rows) *
                     static_cast<double>(logit_rows);
}

}  // namespace orrery::models
