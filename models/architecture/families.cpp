#include "models/architecture/families.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "models/architecture/decoder_reader.hpp"

namespace orrery::models::detail {
namespace {

void read_llama(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.max_positions = 2048});
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  a.ffn_bias = c.flag("mlp_bias", false);
}

void read_mistral(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 8, .max_positions = 131072});
  constexpr std::int64_t kDefaultWindow = 4096;  // Where the key is absent; null is no window.
  a.sliding_window =
      c.optional("sliding_window", c.mentions("sliding_window") ? 0 : kDefaultWindow);
  read_layer_types(c, a);
}

void read_mixtral(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 8, .max_positions = 131072});
  a.sliding_window = c.optional("sliding_window", 0);
  MixtureOfExperts moe;
  moe.experts = c.required("num_local_experts");
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = a.ffn;
  a.moe = moe;
}

// Qwen 2 and 3 have windows only when asked, and only from max_window_layers on.
void read_qwen_window(ConfigReader& c, Architecture& a) {
  if (c.flag("use_sliding_window", false)) {
    constexpr std::int64_t kDefaultWindow = 4096;
    constexpr std::int64_t kDefaultFirst = 28;
    a.sliding_window =
        c.optional("sliding_window", c.mentions("sliding_window") ? 0 : kDefaultWindow);
    a.first_windowed_layer = c.optional("max_window_layers", kDefaultFirst);
  }
  read_layer_types(c, a);
}

void read_qwen2(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 32, .max_positions = 32768});
  a.qkv_bias = true;
  read_qwen_window(c, a);
}

void read_qwen_experts(ConfigReader& c, Architecture& a) {
  MixtureOfExperts moe;
  moe.experts = c.required({"num_experts", "num_local_experts"});
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = c.required("moe_intermediate_size");
  moe.layer_step = c.optional("decoder_sparse_step", 1);
  if (c.has("mlp_only_layers")) {
    const nlohmann::json& list = c.object()["mlp_only_layers"];
    bool whole = list.is_array();
    for (const nlohmann::json& layer : list) {
      whole = whole && layer.is_number_unsigned() &&
              layer.get<std::uint64_t>() < static_cast<std::uint64_t>(a.layers);
      if (!whole) break;
      moe.dense_layers.push_back(layer.get<std::int64_t>());
    }
    if (!whole) c.fault("mlp_only_layers", "not a list of layer numbers", "0 to the last layer");
    std::sort(moe.dense_layers.begin(), moe.dense_layers.end());
    const auto repeated = std::unique(moe.dense_layers.begin(), moe.dense_layers.end());
    moe.dense_layers.erase(repeated, moe.dense_layers.end());
  }
  a.moe = moe;
}

void read_qwen2_moe(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 16, .max_positions = 32768});
  a.qkv_bias = c.flag("qkv_bias", true);
  read_qwen_window(c, a);
  read_qwen_experts(c, a);
  a.moe->shared_experts = 1;
  a.moe->shared_ffn = c.required("shared_expert_intermediate_size");
  a.moe->shared_gate = true;
}

void read_qwen3_parts(ConfigReader& c, Architecture& a) {
  a.qk_norm = true;
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  read_qwen_window(c, a);
}

void read_qwen3(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 32, .head_dim = 128, .max_positions = 32768});
  read_qwen3_parts(c, a);
}

void read_qwen3_moe(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 4, .max_positions = 32768});
  read_qwen3_parts(c, a);
  read_qwen_experts(c, a);
}

void read_gemma(ConfigReader& c, Architecture& a, std::int64_t pattern) {
  constexpr std::int64_t kDefaultWindow = 4096;
  a.norms_per_layer = 4;
  a.sliding_window = c.optional("sliding_window", kDefaultWindow);
  a.full_attention_every =
      c.optional("sliding_window_pattern", c.optional("_sliding_window_pattern", pattern));
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  read_layer_types(c, a);
}

void read_gemma2(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.kv_heads = 4, .head_dim = 256, .max_positions = 8192, .tied = true});
  read_gemma(c, a, 2);
}

// The published text_config of Gemma 3 holds only what differs from these defaults.
void read_gemma3(ConfigReader& c, Architecture& a) {
  read_decoder(c, a,
               {.kv_heads = 4,
                .head_dim = 256,
                .max_positions = 131072,
                .tied = true,
                .heads = 8,
                .vocabulary = 262208,
                .ffn = 9216});
  read_gemma(c, a, 6);
  a.qk_norm = true;
}

void read_phi3(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.max_positions = 4096});
  a.sliding_window = c.optional("sliding_window", 0);
}

// Layer norms with biases everywhere and a plain feed-forward.
void make_classic(Architecture& a) {
  a.norm = NormKind::kLayer;
  a.gated_ffn = false;
  a.qkv_bias = true;
  a.attention_output_bias = true;
  a.ffn_bias = true;
}

// Attention and feed-forward side by side behind one norm; a head with bias.
void read_phi(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.max_positions = 2048});
  make_classic(a);
  a.norms_per_layer = 1;
  a.head_bias = true;
  if (c.flag("qk_layernorm", false)) c.fault("qk_layernorm", "true is not supported", "false");
}

void read_gpt2(ConfigReader& c, Architecture& a) {
  make_classic(a);
  a.position = PositionKind::kLearned;
  a.layers = c.required({"n_layer", "num_hidden_layers"});
  a.hidden = c.required({"n_embd", "hidden_size"});
  a.heads = c.required({"n_head", "num_attention_heads"});
  a.kv_heads = a.heads;
  a.head_dim = divided_head_dim(c, a, "n_head");
  a.ffn = c.optional("n_inner", 4 * a.hidden);
  a.vocabulary = c.required("vocab_size");
  a.head_rows = a.vocabulary;
  a.max_positions = c.required({"n_positions", "n_ctx"});
  a.learned_positions = a.max_positions;
  a.tied_embeddings = c.flag("tie_word_embeddings", true);
}

void read_opt(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.max_positions = 2048, .tied = true, .ffn_key = "ffn_dim"});
  make_classic(a);
  a.position = PositionKind::kLearned;
  constexpr std::int64_t kPositionOffset = 2;  // Rows that the table has beyond its length.
  a.learned_positions = a.max_positions + kPositionOffset;
  const bool biased = c.flag("enable_bias", true);
  a.qkv_bias = biased;
  a.attention_output_bias = biased;
  a.ffn_bias = biased;
  a.final_norm = c.flag("do_layer_norm_before", true) && !c.flag("_remove_final_layer_norm", false);
  if (!c.flag("layer_norm_elementwise_affine", true)) {
    c.fault("layer_norm_elementwise_affine", "false is not supported", "true");
  }
  const std::int64_t width = c.optional("word_embed_proj_dim", a.hidden);
  if (width > 0 && width != a.hidden) {
    // OPT-350m: a narrower embedding with a projection on either side.
    a.embedding_width = width;
    a.extra_parameters = 2 * width * a.hidden;
  }
}

// The head is that of the first entry of `architectures`; a masked language model where it is none
// of those below.
void read_bert(ConfigReader& c, Architecture& a) {
  read_decoder(c, a, {.max_positions = 512});
  make_classic(a);
  a.position = PositionKind::kLearned;
  a.learned_positions = a.max_positions;
  a.token_types = c.optional("type_vocab_size", 2);
  a.bidirectional = !c.flag("is_decoder", false);
  a.embedding_norm = true;
  a.final_norm = false;
  a.tied_embeddings = true;
  std::string model;
  if (c.has("architectures")) {
    const nlohmann::json& list = c.object()["architectures"];
    if (list.is_array() && !list.empty() && list[0].is_string()) model = list[0].get<std::string>();
  }
  const std::int64_t dense = a.hidden * a.hidden + a.hidden;
  const bool bare = model == "BertModel";
  const bool both = model == "BertForPreTraining";
  if (bare) a.head_rows = 0;
  a.head_bias = !bare;
  // A dense layer with its norm before the head.
  if (!bare) a.extra_parameters += dense + 2 * a.hidden;
  // The pooler, and in pre-training the classifier of the next sentence.
  if (bare || both) a.extra_parameters += dense;
  if (both) a.extra_parameters += 2 * a.hidden + 2;
}

void read_deepseek(ConfigReader& c, Architecture& a, bool corrected_router) {
  read_decoder(c, a, {.head_dim = 1, .max_positions = 2048});
  LatentAttention latent;
  constexpr std::int64_t kDefaultQueryRank = 1536;  // Where the key is absent; null is none.
  latent.q_lora_rank = c.optional("q_lora_rank", c.mentions("q_lora_rank") ? 0 : kDefaultQueryRank);
  latent.kv_lora_rank = c.required("kv_lora_rank");
  latent.qk_nope_head_dim = c.required("qk_nope_head_dim");
  latent.qk_rope_head_dim = c.required("qk_rope_head_dim");
  latent.v_head_dim = c.required("v_head_dim");
  a.latent = latent;
  a.attention = AttentionKind::kLatent;
  a.head_dim = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
  a.qkv_bias = c.flag("attention_bias", false);
  a.attention_output_bias = a.qkv_bias;
  if (!c.has("n_routed_experts")) return;
  MixtureOfExperts moe;
  moe.experts = c.required("n_routed_experts");
  moe.experts_per_token = c.required("num_experts_per_tok");
  moe.expert_ffn = c.required("moe_intermediate_size");
  moe.shared_experts = c.optional("n_shared_experts", 0);
  moe.shared_ffn = moe.shared_experts * moe.expert_ffn;
  moe.first_dense_layers = c.optional("first_k_dense_replace", 0);
  moe.layer_step = c.optional("moe_layer_freq", 1);
  moe.layer_offset = 0;
  moe.router_bias = c.text("topk_method", corrected_router ? "noaux_tc" : "") == "noaux_tc";
  a.moe = moe;
}

void read_deepseek_v2(ConfigReader& c, Architecture& a) { read_deepseek(c, a, false); }
void read_deepseek_v3(ConfigReader& c, Architecture& a) { read_deepseek(c, a, true); }

// What LLaDA's code could build but no published model of it uses.
void refuse_unused_llada_parts(ConfigReader& c) {
  const auto must_be = [&c](const char* key, const char* value) {
    if (c.text(key, value) != value) c.fault(key, "this kind is not supported", value);
  };
  must_be("block_type", "llama");
  must_be("layer_norm_type", "rms");
  for (const char* key : {"attention_layer_norm", "bias_for_layer_norm", "alibi"}) {
    if (c.flag(key, false)) c.fault(key, "true is not supported", "false");
  }
}

void read_llada(ConfigReader& c, Architecture& a) {
  a.layers = c.required({"n_layers", "num_hidden_layers"});
  a.hidden = c.required({"d_model", "hidden_size"});
  a.heads = c.required({"n_heads", "num_attention_heads"});
  const std::int64_t all = c.flag("multi_query_attention", false) ? 1 : a.heads;
  a.kv_heads = c.optional("n_kv_heads", c.optional("num_key_value_heads", all));
  a.head_dim = divided_head_dim(c, a, "n_heads");
  const bool sized = c.has("mlp_hidden_size") || c.has("intermediate_size");
  a.ffn = sized ? c.required({"mlp_hidden_size", "intermediate_size"})
                : c.optional("mlp_ratio", 4) * a.hidden;
  a.vocabulary = c.required({"embedding_size", "vocab_size"});
  a.head_rows = a.vocabulary;
  a.max_positions = c.optional("max_sequence_length", c.optional("max_position_embeddings", 1024));
  a.tied_embeddings = c.flag("weight_tying", true);
  const bool biased = c.flag("include_bias", false);
  a.qkv_bias = biased || c.flag("include_qkv_bias", false);
  a.attention_output_bias = biased;
  a.ffn_bias = biased;
  a.head_bias = biased;
  a.bidirectional = true;
  refuse_unused_llada_parts(c);
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
      FamilyEntry{"phi", "Phi-1 and Phi-2", read_phi},
      FamilyEntry{"gpt2", "GPT-2 and GPT-3 shapes", read_gpt2},
      FamilyEntry{"opt", "OPT", read_opt},
      FamilyEntry{"bert", "BERT with the head that `architectures` names", read_bert},
      FamilyEntry{"deepseek_v2", "DeepSeek-V2, latent attention", read_deepseek_v2},
      FamilyEntry{"deepseek_v3", "DeepSeek-V3 and R1, latent attention", read_deepseek_v3},
      FamilyEntry{"llada", "LLaDA, diffusion", read_llada},
      FamilyEntry{"Dream", "Dream, diffusion", read_dream},
  };
  return kFamilies;
}

}  // namespace orrery::models::detail
