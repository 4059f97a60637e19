#pragma once
// The weights of one layer, split by how tensor parallelism places them (Shoeybi et al., 2019,
// Megatron-LM, section 3): column- and row-parallel matrices are cut by the degree, keys and values
// by at most the number of KV heads, norms and routers are copied, routed experts are dealt out.
// Parameter counts, FLOPs and memory are sums over these parts, so they cannot disagree.

#include "models/architecture/architecture.hpp"

namespace orrery::models {

/// Number is std::int64_t for exact counts, double where sizes may be absurd.
template <class Number>
struct WeightPart {
  Number matrices = 0;  ///< Elements of matrices: each takes part in one multiply-add a token.
  Number vectors = 0;   ///< Biases and norm weights.
  Number total() const { return matrices + vectors; }
};

template <class Number>
struct LayerWeights {
  WeightPart<Number> sharded;     ///< Cut by the tensor-parallel degree.
  WeightPart<Number> key_value;   ///< K and V projections: cut by min(degree, kv_heads).
  WeightPart<Number> replicated;  ///< Norms, router, latent down-projections, row-parallel biases.
  WeightPart<Number> expert;      ///< One routed expert.
  Number experts = 0;             ///< Routed experts of the layer; 0 in a dense layer.
  Number experts_per_token = 0;

  Number shared_total() const { return sharded.total() + key_value.total() + replicated.total(); }
  Number total() const { return shared_total() + experts * expert.total(); }
  Number active() const { return shared_total() + experts_per_token * expert.total(); }
  /// Multiply-adds that one token needs in matrix products with weights.
  Number active_matrices() const {
    return sharded.matrices + key_value.matrices + replicated.matrices +
           experts_per_token * expert.matrices;
  }
};

namespace detail {

template <class Number>
void add_attention(const Architecture& a, LayerWeights<Number>& w) {
  const auto hidden = static_cast<Number>(a.hidden);
  const auto heads = static_cast<Number>(a.heads);
  if (a.latent) {
    const auto q_rank = static_cast<Number>(a.latent->q_lora_rank);
    const auto kv_rank = static_cast<Number>(a.latent->kv_lora_rank);
    const auto nope = static_cast<Number>(a.latent->qk_nope_head_dim);
    const auto rope = static_cast<Number>(a.latent->qk_rope_head_dim);
    const auto v_dim = static_cast<Number>(a.latent->v_head_dim);
    if (a.latent->q_lora_rank > 0) {
      w.replicated.matrices += hidden * q_rank;
      w.replicated.vectors += q_rank;
      w.sharded.matrices += q_rank * heads * (nope + rope);
    } else {
      w.sharded.matrices += hidden * heads * (nope + rope);
    }
    w.replicated.matrices += hidden * (kv_rank + rope);
    w.replicated.vectors += kv_rank;
    w.sharded.matrices += kv_rank * heads * (nope + v_dim) + heads * v_dim * hidden;
    if (a.qkv_bias) w.replicated.vectors += q_rank + kv_rank + rope;
    if (a.attention_output_bias) w.replicated.vectors += hidden;
    return;
  }
  const auto query = heads * static_cast<Number>(a.head_dim);
  const auto key = static_cast<Number>(a.kv_heads) * static_cast<Number>(a.head_dim);
  w.sharded.matrices += 2 * hidden * query;
  w.key_value.matrices += 2 * hidden * key;
  if (a.qkv_bias) {
    w.sharded.vectors += query;
    w.key_value.vectors += 2 * key;
  }
  if (a.attention_output_bias) w.replicated.vectors += hidden;
  if (a.qk_norm) w.replicated.vectors += 2 * static_cast<Number>(a.head_dim);
}

template <class Number>
void add_feed_forward(const Architecture& a, bool moe, LayerWeights<Number>& w) {
  const auto hidden = static_cast<Number>(a.hidden);
  const Number up = a.gated_ffn ? 2 : 1;
  if (!moe) {
    const auto ffn = static_cast<Number>(a.ffn);
    w.sharded.matrices += (up + 1) * hidden * ffn;
    if (a.ffn_bias) {
      w.sharded.vectors += up * ffn;
      w.replicated.vectors += hidden;
    }
    return;
  }
  const MixtureOfExperts& m = *a.moe;
  w.experts = static_cast<Number>(m.experts);
  w.experts_per_token = static_cast<Number>(m.experts_per_token);
  w.expert.matrices = (up + 1) * hidden * static_cast<Number>(m.expert_ffn);
  w.sharded.matrices += (up + 1) * hidden * static_cast<Number>(m.shared_ffn);
  w.replicated.matrices += hidden * w.experts + (m.shared_gate ? hidden : 0);
  if (m.router_bias) w.replicated.vectors += w.experts;
}

}  // namespace detail

/// Values of one norm: a weight, and in LayerNorm a bias.
template <class Number>
Number norm_parameters(const Architecture& a) {
  return (a.norm == NormKind::kLayer ? 2 : 1) * static_cast<Number>(a.hidden);
}

template <class Number>
LayerWeights<Number> layer_weights(const Architecture& a, bool moe) {
  LayerWeights<Number> w;
  detail::add_attention(a, w);
  detail::add_feed_forward(a, moe && a.moe.has_value(), w);
  w.replicated.vectors += static_cast<Number>(a.norms_per_layer) * norm_parameters<Number>(a);
  return w;
}

/// Token, position and segment tables.
template <class Number>
Number embedding_parameters(const Architecture& a) {
  const auto width = static_cast<Number>(a.embedding_width > 0 ? a.embedding_width : a.hidden);
  return static_cast<Number>(a.vocabulary) * width +
         (static_cast<Number>(a.learned_positions) + static_cast<Number>(a.token_types)) *
             static_cast<Number>(a.hidden);
}

/// LM head, without the matrix when it is the embedding's.
template <class Number>
Number head_parameters(const Architecture& a) {
  const auto rows = static_cast<Number>(a.head_rows);
  const auto width = static_cast<Number>(a.embedding_width > 0 ? a.embedding_width : a.hidden);
  return (a.tied_embeddings ? 0 : rows * width) + (a.head_bias ? rows : 0);
}

}  // namespace orrery::models
