#include "models/architecture/families.hpp"

#include <array>
#include <string>

namespace orrery::models::detail {
namespace {

// Keys that most decoder families share.
void read_decoder(ConfigReader& c, Architecture& a) {
  a.layers = c.required("num_hidden_layers");
  a.hidden = c.required("hidden_size");
  a.heads = c.required("num_attention_heads");
  a.kv_heads = c.optional("num_key_value_heads", a.heads);
  a.head_dim = c.optional("head_dim", a.heads > 0 ? a.hidden / a.heads : 0);
  a.ffn = c.optional("intermediate_size", 4 * a.hidden);
  a.vocabulary = c.required("vocab_size");
  a.head_rows = a.vocabulary;
  a.max_positions = c.optional("max_position_embeddings", 0);
  a.tied_embeddings = c.flag("tie_word_embeddings", false);
}

void read_llama(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  a.ffn_bias = c.flag("mlp_bias", false);
}

void read_mistral(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  a.sliding_window = c.optional("sliding_window", 0);
}

void read_mixtral(ConfigReader& c, Architecture& a) {
  read_mistral(c, a);
  MixtureOfExperts moe;
  moe.experts = c.required("num_local_experts");
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = a.ffn;
  a.moe = moe;
}

void read_qwen2(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  a.qkv_bias = true;
  if (c.flag("use_sliding_window", false)) a.sliding_window = c.optional("sliding_window", 0);
}

void read_qwen_experts(ConfigReader& c, Architecture& a) {
  MixtureOfExperts moe;
  moe.experts = c.required({"num_experts", "num_local_experts"});
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = c.required("moe_intermediate_size");
  moe.layer_step = c.optional("decoder_sparse_step", 1);
  a.moe = moe;
}

void read_qwen2_moe(ConfigReader& c, Architecture& a) {
  read_qwen2(c, a);
  read_qwen_experts(c, a);
  a.moe->shared_experts = 1;
  a.moe->shared_ffn = c.required("shared_expert_intermediate_size");
  a.moe->shared_gate = true;
}

void read_qwen3(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  constexpr std::int64_t kDefaultHeadDim = 128;
  a.head_dim = c.optional("head_dim", kDefaultHeadDim);
  a.qk_norm = true;
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  if (c.flag("use_sliding_window", false)) a.sliding_window = c.optional("sliding_window", 0);
}

void read_qwen3_moe(ConfigReader& c, Architecture& a) {
  read_qwen3(c, a);
  read_qwen_experts(c, a);
}

void read_gemma(ConfigReader& c, Architecture& a, std::int64_t window, std::int64_t pattern) {
  read_decoder(c, a);
  constexpr std::int64_t kDefaultHeadDim = 256;
  a.head_dim = c.optional("head_dim", kDefaultHeadDim);
  a.tied_embeddings = c.flag("tie_word_embeddings", true);
  a.norms_per_layer = 4;
  a.sliding_window = c.optional("sliding_window", window);
  a.full_attention_every = c.optional("sliding_window_pattern", pattern);
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
}

void read_gemma2(ConfigReader& c, Architecture& a) { read_gemma(c, a, 4096, 2); }

void read_gemma3(ConfigReader& c, Architecture& a) {
  read_gemma(c, a, 1024, 6);
  a.qk_norm = true;
}

void read_phi3(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  a.sliding_window = c.optional("sliding_window", 0);
}

// Layer norms with biases everywhere, learned positions, plain feed-forward.
void make_classic(Architecture& a) {
  a.norm = NormKind::kLayer;
  a.position = PositionKind::kLearned;
  a.gated_ffn = false;
  a.qkv_bias = true;
  a.attention_output_bias = true;
  a.ffn_bias = true;
}

void read_gpt2(ConfigReader& c, Architecture& a) {
  make_classic(a);
  a.layers = c.required({"n_layer", "num_hidden_layers"});
  a.hidden = c.required({"n_embd", "hidden_size"});
  a.heads = c.required({"n_head", "num_attention_heads"});
  a.kv_heads = a.heads;
  a.head_dim = a.hidden / a.heads;
  a.ffn = c.optional("n_inner", 4 * a.hidden);
  a.vocabulary = c.required("vocab_size");
  a.head_rows = a.vocabulary;
  a.max_positions = c.required({"n_positions", "n_ctx"});
  a.learned_positions = a.max_positions;
  a.tied_embeddings = c.flag("tie_word_embeddings", true);
}

void read_opt(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  make_classic(a);
  constexpr std::int64_t kPositionOffset =
      2;  // Rows that the position table has beyond its length.
  a.ffn = c.required("ffn_dim");
  a.learned_positions = a.max_positions + kPositionOffset;
  a.tied_embeddings = c.flag("tie_word_embeddings", true);
  const bool biased = c.flag("enable_bias", true);
  a.qkv_bias = biased;
  a.attention_output_bias = biased;
  a.ffn_bias = biased;
  a.final_norm = c.flag("do_layer_norm_before", true) && !c.flag("_remove_final_layer_norm", false);
  const std::int64_t projected = c.optional("word_embed_proj_dim", a.hidden);
  if (projected != a.hidden) {
    // OPT-350m: a narrower embedding with a projection on either side.
    a.extra_parameters = 2 * projected * a.hidden - a.vocabulary * (a.hidden - projected);
  }
}

void read_bert(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  make_classic(a);
  a.learned_positions = a.max_positions;
  a.token_types = c.optional("type_vocab_size", 2);
  a.bidirectional = true;
  a.embedding_norm = true;
  a.final_norm = false;
  // As a masked language model: a dense layer with its norm before a tied head with bias.
  a.tied_embeddings = true;
  a.head_bias = true;
  a.extra_parameters = a.hidden * a.hidden + a.hidden + 2 * a.hidden;
}

void read_deepseek(ConfigReader& c, Architecture& a) {
  read_decoder(c, a);
  LatentAttention latent;
  latent.q_lora_rank = c.optional("q_lora_rank", 0);
  latent.kv_lora_rank = c.required("kv_lora_rank");
  latent.qk_nope_head_dim = c.required("qk_nope_head_dim");
  latent.qk_rope_head_dim = c.required("qk_rope_head_dim");
  latent.v_head_dim = c.required("v_head_dim");
  a.latent = latent;
  a.attention = AttentionKind::kLatent;
  a.head_dim = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
  if (!c.has("n_routed_experts")) return;
  MixtureOfExperts moe;
  moe.experts = c.required("n_routed_experts");
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = c.required("moe_intermediate_size");
  moe.shared_experts = c.optional("n_shared_experts", 0);
  moe.shared_ffn = moe.shared_experts * moe.expert_ffn;
  moe.first_dense_layers = c.optional("first_k_dense_replace", 0);
  moe.layer_step = c.optional("moe_layer_freq", 1);
  moe.router_bias = c.text("topk_method", "") == "noaux_tc";
  a.moe = moe;
}

void read_llada(ConfigReader& c, Architecture& a) {
  a.layers = c.required({"n_layers", "num_hidden_layers"});
  a.hidden = c.required({"d_model", "hidden_size"});
  a.heads = c.required({"n_heads", "num_attention_heads"});
  a.kv_heads = c.optional("n_kv_heads", c.optional("num_key_value_heads", a.heads));
  a.head_dim = a.hidden / a.heads;
  a.ffn = c.required({"mlp_hidden_size", "intermediate_size"});
  a.vocabulary = c.required({"embedding_size", "vocab_size"});
  a.head_rows = a.vocabulary;
  a.max_positions = c.optional("max_sequence_length", c.optional("max_position_embeddings", 0));
  a.tied_embeddings = c.flag("weight_tying", false);
  a.qkv_bias = c.flag("include_qkv_bias", false);
  a.bidirectional = true;
}

void read_dream(ConfigReader& c, Architecture& a) {
  read_qwen2(c, a);
  a.bidirectional = true;
}

}  // namespace

std::span<const FamilyEntry> families() {
  static constexpr std::array kFamilies{
      FamilyEntry{"llama", "Llama 1 to 3.x and models of its shape", read_llama},
      FamilyEntry{"mistral", "Mistral", read_mistral},
      FamilyEntry{"mixtral", "Mixtral, mixture of experts", read_mixtral},
      FamilyEntry{"qwen2", "Qwen 2 and 2.5", read_qwen2},
      FamilyEntry{"qwen2_moe", "Qwen 2 mixture of experts", read_qwen2_moe},
      FamilyEntry{"qwen3", "Qwen 3", read_qwen3},
      FamilyEntry{"qwen3_moe", "Qwen 3 mixture of experts", read_qwen3_moe},
      FamilyEntry{"gemma2", "Gemma 2", read_gemma2},
      FamilyEntry{"gemma3", "Gemma 3 (its text model)", read_gemma3},
      FamilyEntry{"gemma3_text", "Gemma 3 text model", read_gemma3},
      FamilyEntry{"phi3", "Phi-3", read_phi3},
      FamilyEntry{"gpt2", "GPT-2 and GPT-3 shapes", read_gpt2},
      FamilyEntry{"opt", "OPT", read_opt},
      FamilyEntry{"bert", "BERT with its masked-language-model head", read_bert},
      FamilyEntry{"deepseek_v2", "DeepSeek-V2, latent attention", read_deepseek},
      FamilyEntry{"deepseek_v3", "DeepSeek-V3 and R1, latent attention", read_deepseek},
      FamilyEntry{"llada", "LLaDA, diffusion", read_llada},
      FamilyEntry{"Dream", "Dream, diffusion", read_dream},
  };
  return kFamilies;
}

}  // namespace orrery::models::detail
