#include "models/cost/cost_parts.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::models {

Price CostSum::price() const {
  return {seconds, seconds > 0.0 ? std::sqrt(variance) / seconds : 0.0};
}

std::int64_t batch_tokens(const BatchShape& batch) {
  std::int64_t tokens = batch.decode_sequences;
  for (const PrefillChunk& chunk : batch.prefills) tokens += chunk.new_tokens;
  return tokens;
}

WorkCount::WorkCount(const Architecture& a, DataType weights, DataType kv) {
  const double per_pair =
      a.latent
          ? 2.0 * static_cast<double>(a.heads * (a.latent->qk_nope_head_dim +
                                                 a.latent->qk_rope_head_dim + a.latent->v_head_dim))
          : 4.0 * static_cast<double>(a.heads * a.head_dim);
  for (std::int64_t layer = 0; layer < a.layers; ++layer) {
    flops_per_token_ += 2.0 * static_cast<double>(attention_matrix_weights(a) +
                                                  active_ffn_matrix_weights(a, layer));
    (attention_window(a, layer) > 0 ? flops_per_pair_window_ : flops_per_pair_full_) += per_pair;
  }
  window_ = static_cast<double>(a.sliding_window);
  bidirectional_ = a.bidirectional;
  flops_per_logit_row_ = 2.0 * static_cast<double>(a.hidden) * static_cast<double>(a.head_rows);
  const ParameterCount count = count_parameters(a);
  double routed = 0.0;
  if (a.moe) {
    routed = 3.0 * static_cast<double>(a.hidden) * static_cast<double>(a.moe->expert_ffn) *
             static_cast<double>(a.moe->experts * moe_layers(a));
    expert_share_ =
        static_cast<double>(a.moe->experts_per_token) / static_cast<double>(a.moe->experts);
  }
  const double tables = a.tied_embeddings ? 0.0 : static_cast<double>(count.embedding);
  const double element = bytes_per_element(weights);
  dense_weight_bytes_ = (static_cast<double>(count.total) - tables - routed) * element;
  expert_weight_bytes_ = routed * element;
  kv_bytes_per_token_ = kv_bytes_per_token(a, kv);
}

double WorkCount::attended(double tokens, double context) const {
  return bidirectional_ ? tokens * (context + tokens)
                        : tokens * context + tokens * (tokens + 1.0) / 2.0;
}

double WorkCount::flops(const BatchShape& batch) const {
  double tokens = static_cast<double>(batch.decode_sequences);
  double pairs = static_cast<double>(batch.decode_context_tokens);
  double windowed = std::min(pairs, tokens * window_);
  for (const PrefillChunk& chunk : batch.prefills) {
    const auto n = static_cast<double>(chunk.new_tokens);
    const double own = attended(n, static_cast<double>(chunk.context_tokens));
    tokens += n;
    pairs += own;
    windowed += std::min(own, n * window_);
  }
  return flops_per_token_ * tokens + flops_per_pair_full_ * pairs +
         flops_per_pair_window_ * windowed +
         flops_per_logit_row_ * static_cast<double>(batch.logit_rows);
}

double WorkCount::memory_bytes(const BatchShape& batch) const {
  double tokens = static_cast<double>(batch.decode_sequences);
  double cached = static_cast<double>(batch.decode_context_tokens);
  for (const PrefillChunk& chunk : batch.prefills) {
    tokens += static_cast<double>(chunk.new_tokens);
    cached += static_cast<double>(chunk.new_tokens + chunk.context_tokens);
  }
  // Experts touched under uniform routing (assumed).
  const double touched =
      expert_weight_bytes_ > 0.0 ? 1.0 - std::pow(1.0 - expert_share_, tokens) : 0.0;
  return dense_weight_bytes_ + touched * expert_weight_bytes_ +
         kv_bytes_per_token_ * (cached + tokens);
}

}  // namespace orrery::models
