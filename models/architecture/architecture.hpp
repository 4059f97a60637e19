#pragma once
// What a transformer computes and stores, as far as costs depend on it. One struct describes all
// families (dense, mixture of experts, latent attention, encoders, diffusion); it is filled from a
// Hugging Face `config.json` (config_json.hpp), which the built-in ones are too.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery::models {

/// Element types of weights, activations and KV cache.
enum class DataType : std::uint8_t { kFp32, kBf16, kFp16, kFp8, kInt8, kFp4, kInt4 };

/// Bytes of one element (0.5 for 4-bit types; scales of block formats are not counted).
double bytes_per_element(DataType type);

enum class AttentionKind : std::uint8_t { kGrouped, kLatent };  ///< MHA/MQA/GQA, or DeepSeek's MLA.
enum class NormKind : std::uint8_t { kRms, kLayer };
enum class PositionKind : std::uint8_t { kRotary, kLearned, kNone };

/// Mixture-of-experts feed-forward of the layers that have one.
struct MixtureOfExperts {
  std::int64_t experts = 0;                ///< Routed experts a layer.
  std::int64_t experts_per_token = 0;      ///< top-k.
  std::int64_t expert_ffn = 0;             ///< Intermediate size of one routed expert.
  std::int64_t shared_experts = 0;         ///< Always-on experts.
  std::int64_t shared_ffn = 0;             ///< Total intermediate size of the shared experts.
  std::int64_t first_dense_layers = 0;     ///< Leading layers with a dense feed-forward.
  std::int64_t layer_step = 1;             ///< Of the remaining layers, those are MoE for which
  std::int64_t layer_offset = 1;           ///< layer + layer_offset is a multiple of layer_step.
  std::vector<std::int64_t> dense_layers;  ///< Further dense layers, ascending (`mlp_only_layers`).
  bool router_bias = false;                ///< A bias value per expert in the router.
  bool shared_gate = false;  ///< One sigmoid gate row on the shared expert (Qwen2-MoE).
};

/// DeepSeek-style latent attention: what is cached is a latent of `kv_lora_rank` + one rotary key.
struct LatentAttention {
  std::int64_t q_lora_rank = 0;  ///< 0: queries are projected directly.
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
};

/// A transformer. Sizes in elements, biases as flags, all per layer unless said otherwise.
struct Architecture {
  std::string name;    ///< As the user wrote it, or the built-in name.
  std::string family;  ///< Hugging Face `model_type`: llama, qwen3, gpt2, bert, llada, ...

  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;                ///< Intermediate size of dense layers.
  bool gated_ffn = true;               ///< gate + up + down (SwiGLU/GeGLU), else up + down.
  std::int64_t vocabulary = 0;         ///< Rows of the embedding.
  std::int64_t embedding_width = 0;    ///< Columns of the embedding; 0: hidden (OPT-350m: 512).
  std::int64_t head_rows = 0;          ///< Rows of the LM head (0: no head).
  std::int64_t max_positions = 0;      ///< Longest context that the configuration allows.
  std::int64_t learned_positions = 0;  ///< Rows of a learned position table (GPT-2, OPT, BERT).
  std::int64_t token_types = 0;        ///< Rows of a segment embedding (BERT).

  AttentionKind attention = AttentionKind::kGrouped;
  NormKind norm = NormKind::kRms;
  PositionKind position = PositionKind::kRotary;
  bool tied_embeddings = false;
  bool qkv_bias = false;
  bool attention_output_bias = false;
  bool ffn_bias = false;
  bool qk_norm = false;  ///< RMSNorm over head_dim of queries and keys (Qwen3, Gemma 3).
  bool head_bias = false;
  int norms_per_layer = 2;  ///< 4 in Gemma 2/3.
  bool final_norm = true;
  bool embedding_norm = false;      ///< LayerNorm after the embeddings (BERT).
  bool bidirectional = false;       ///< No causal mask: BERT, LLaDA, Dream.
  std::int64_t sliding_window = 0;  ///< Tokens; 0: full attention.
  std::int64_t full_attention_every =
      0;  ///< With a window: layers n-1, 2n-1, ... are full; 0: none.
  std::int64_t first_windowed_layer = 0;  ///< With a window: layers before it are full (Qwen2).
  /// Parameters outside the pattern above (pooler, MLM transform, projections of OPT-350m).
  std::int64_t extra_parameters = 0;

  std::optional<MixtureOfExperts> moe;
  std::optional<LatentAttention> latent;

  DataType native_dtype = DataType::kBf16;  ///< `torch_dtype` of the configuration.
  /// Method of `quantization_config` ("fp8", "awq"), empty when there is none. The checkpoint's
  /// weights are then stored in another type than native_dtype.
  std::string quantization;
};

/// Parameter counts of a whole model, equal to what the published checkpoint holds.
struct ParameterCount {
  std::int64_t total = 0;
  std::int64_t active = 0;     ///< Touched by one token (top-k experts instead of all).
  std::int64_t embedding = 0;  ///< Token, position and segment tables.
  std::int64_t head = 0;       ///< LM head that is not tied.
};
ParameterCount count_parameters(const Architecture& architecture);
/// The same total in floating point: safe to ask of sizes whose exact count would overflow.
double approximate_parameters(const Architecture& architecture);

/// Weights of one layer's attention projections (no biases, no norms).
std::int64_t attention_matrix_weights(const Architecture& architecture);
/// Weights of the feed-forward matrices that one token passes in layer `layer`: the dense ones, or
/// router, top-k experts and shared expert.
std::int64_t active_ffn_matrix_weights(const Architecture& architecture, std::int64_t layer);

/// Number of layers with a mixture-of-experts feed-forward.
std::int64_t moe_layers(const Architecture& architecture);
/// True when layer `layer` (0-based) has a mixture-of-experts feed-forward.
bool is_moe_layer(const Architecture& architecture, std::int64_t layer);
/// The window of layer `layer` in tokens, 0 when it attends to everything.
std::int64_t attention_window(const Architecture& architecture, std::int64_t layer);

/// KV-cache bytes that one token occupies over all layers and all ranks together, i.e.
/// 2 x layers x kv_heads x head_dim x bytes, or the latent's size for latent attention.
double kv_bytes_per_token(const Architecture& architecture, DataType kv_dtype);

/// KV-cache bytes of one sequence of `tokens` tokens over all layers and all ranks together, when
/// layers with a window keep no more than their window.
double kv_bytes_of_sequence(const Architecture& architecture, DataType kv_dtype,
                            std::int64_t tokens);

/// FLOPs of a forward pass over `tokens` new tokens that follow `context` cached ones, one
/// sequence, with `logit_rows` rows through the LM head. 2 FLOPs a multiply-add. Counted are
/// products with weight matrices (of the experts only those that a token passes), attention scores,
/// their product with V, and the LM head; norms, activations, softmax and look-ups are not. Causal
/// attention counts the attended pairs only, the diagonal included: the i-th new token attends to
/// context + i tokens, or to its layer's window. Bidirectional attention counts every pair. Latent
/// attention counts as the model defines it, keys and values of new tokens expanded, and not as
/// kernels that absorb the projections compute it.
double forward_flops(const Architecture& architecture, std::int64_t tokens, std::int64_t context,
                     std::int64_t logit_rows);

}  // namespace orrery::models
