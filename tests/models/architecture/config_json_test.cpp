#include "models/architecture/config_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orrery::models {
namespace {

const std::string kLlama =
    R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100})";

std::string with(const std::string& key, const std::string& value) {
  // A later key of the same name wins in JSON.
  return kLlama.substr(0, kLlama.size() - 1) + ", \"" + key + "\": " + value + "}";
}

std::string said(const std::string& text) {
  const Result<Architecture> architecture = parse_config_json(text, "config.json");
  return architecture ? "" : to_string(architecture.faults());
}

TEST(ConfigJson, ReadsASmallLlamaAndIgnoresUnknownKeys) {
  const Result<Architecture> a = parse_config_json(with("something_new", "[1, 2]"), "x");
  ASSERT_TRUE(a) << to_string(a.faults());
  EXPECT_EQ(a->kv_heads, 2);
  EXPECT_EQ(a->head_dim, 16);
  EXPECT_EQ(a->head_rows, 100);
}

TEST(ConfigJson, TakesTheTextModelOfAMultimodalConfiguration) {
  const std::string text = R"({"model_type": "gemma3", "text_config": {"num_hidden_layers": 6,
      "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 1, "vocab_size": 10}})";
  const Result<Architecture> a = parse_config_json(text, "x");
  ASSERT_TRUE(a) << to_string(a.faults());
  EXPECT_TRUE(a->qk_norm);
  EXPECT_EQ(a->layers, 6);
}

std::int64_t parameters(const std::string& text) {
  const Result<Architecture> a = parse_config_json(text, "x");
  EXPECT_TRUE(a) << (a ? "" : to_string(a.faults()));
  return a ? count_parameters(*a).total : 0;
}

// The keys of published files that are no built-in models; totals of their checkpoints.
TEST(ConfigJson, CountsPublishedFilesOfEachFamily) {
  // google/gemma-3-4b-it leaves most sizes to the defaults; 4,300,079,472 with the vision tower of
  // 416,866,032 and its projector of 2,950,272.
  EXPECT_EQ(parameters(R"({"architectures": ["Gemma3ForConditionalGeneration"],
      "model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
      "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024},
      "torch_dtype": "bfloat16", "vision_config": {"hidden_size": 1152}})"),
            4'300'079'472 - 416'866'032 - 2'950'272);
  // Qwen/Qwen1.5-MoE-A2.7B
  EXPECT_EQ(parameters(R"({"model_type": "qwen2_moe", "num_hidden_layers": 24, "hidden_size": 2048,
      "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5632,
      "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632, "num_experts": 60,
      "num_experts_per_tok": 4, "decoder_sparse_step": 1, "vocab_size": 151936,
      "tie_word_embeddings": false, "max_position_embeddings": 8192})"),
            14'315'784'192);
  // deepseek-ai/DeepSeek-V2-Lite: queries without a latent
  EXPECT_EQ(parameters(R"({"model_type": "deepseek_v2", "num_hidden_layers": 27,
      "hidden_size": 2048,
      "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 10944,
      "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2,
      "num_experts_per_tok": 6, "first_k_dense_replace": 1, "q_lora_rank": null,
      "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
      "vocab_size": 102400, "topk_method": "greedy", "max_position_embeddings": 163840})"),
            15'706'484'224);
  // mistralai/Mistral-Nemo-Base-2407: heads narrower than hidden / heads
  EXPECT_EQ(parameters(R"({"model_type": "mistral", "num_hidden_layers": 40, "hidden_size": 5120,
      "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
      "intermediate_size": 14336, "vocab_size": 131072, "sliding_window": null,
      "max_position_embeddings": 1024000})"),
            12'247'782'400);
  // facebook/opt-350m: narrow embedding, norms after the blocks
  EXPECT_EQ(parameters(R"({"model_type": "opt", "num_hidden_layers": 24, "hidden_size": 1024,
      "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 50272,
      "word_embed_proj_dim": 512, "do_layer_norm_before": false,
      "max_position_embeddings": 2048})"),
            331'196'416);
  // Qwen/Qwen2.5-0.5B: tied
  EXPECT_EQ(parameters(R"({"model_type": "qwen2", "num_hidden_layers": 24, "hidden_size": 896,
      "num_attention_heads": 14, "num_key_value_heads": 2, "intermediate_size": 4864,
      "vocab_size": 151936, "tie_word_embeddings": true})"),
            494'032'768);
}

// google-bert/bert-base-uncased: 110,106,428 in the pre-training checkpoint; transformers counts
// 109,482,240 for the bare encoder with its pooler and 109,514,298 with the masked-LM head.
TEST(ConfigJson, CountsTheHeadThatArchitecturesNames) {
  const std::string base = R"("model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522})";
  EXPECT_EQ(parameters("{\"architectures\": [\"BertForPreTraining\"], " + base), 110'106'428);
  EXPECT_EQ(parameters("{\"architectures\": [\"BertModel\"], " + base), 109'482'240);
  EXPECT_EQ(parameters("{\"architectures\": [\"BertForMaskedLM\"], " + base), 109'514'298);
  EXPECT_EQ(parameters("{" + base), 109'514'298);
}

TEST(ConfigJson, TakesTheDefaultsOfTheFamilyWhereAKeyIsAbsent) {
  const std::string sizes = R"("num_hidden_layers": 4, "hidden_size": 256,
      "num_attention_heads": 32, "intermediate_size": 64, "vocab_size": 10)";
  const auto family = [&sizes](const std::string& name, const std::string& more = "") {
    const auto a =
        parse_config_json("{\"model_type\": \"" + name + "\", " + sizes + more + "}", "x");
    EXPECT_TRUE(a) << to_string(a.faults());
    return *a;
  };
  EXPECT_EQ(family("mistral").kv_heads, 8);
  EXPECT_EQ(family("mistral").sliding_window, 4096);
  EXPECT_EQ(family("mistral", ", \"sliding_window\": null").sliding_window, 0);
  EXPECT_EQ(family("mistral", ", \"num_key_value_heads\": null").kv_heads, 32);
  EXPECT_EQ(family("llama").kv_heads, 32);
  EXPECT_EQ(family("llama").max_positions, 2048);
  EXPECT_EQ(family("qwen3").head_dim, 128);
  EXPECT_EQ(family("gemma2").head_dim, 256);
  EXPECT_TRUE(family("gemma2").tied_embeddings);
  EXPECT_FALSE(family("qwen2").tied_embeddings);
  EXPECT_EQ(family("qwen2", ", \"sliding_window\": 4096").sliding_window, 0);
  const std::string mla = R"(, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
      "v_head_dim": 8)";
  EXPECT_EQ(family("deepseek_v3", mla).latent->q_lora_rank, 1536);
  EXPECT_EQ(family("deepseek_v3", mla + ", \"q_lora_rank\": null").latent->q_lora_rank, 0);
}

TEST(ConfigJson, ReadsWhichLayersHaveWindows) {
  const auto windows = [](const std::string& more) {
    const auto a = parse_config_json(R"({"model_type": "qwen2", "num_hidden_layers": 6,
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4,
        "intermediate_size": 64, "vocab_size": 10, "use_sliding_window": true,
        "sliding_window": 9)" + more + "}",
                                     "x");
    if (!a) return to_string(a.faults());
    std::string kinds;
    for (std::int64_t i = 0; i < 6; ++i) kinds += attention_window(*a, i) > 0 ? 's' : 'f';
    return kinds;
  };
  const auto list = [](const std::string& kinds) {
    std::string types = ", \"layer_types\": [";
    for (char kind : kinds) types += kind == 's' ? "\"sliding_attention\"," : "\"full_attention\",";
    types.back() = ']';
    return types;
  };
  EXPECT_EQ(windows(", \"max_window_layers\": 4"), "ffffss");
  EXPECT_EQ(windows(""), "ffffff");  // max_window_layers is 28 where it is absent.
  for (const std::string kinds : {"ffffff", "ssssss", "sfsfsf", "ssfssf", "fffsss", "sssssf"}) {
    EXPECT_EQ(windows(list(kinds)), kinds);
  }
  EXPECT_NE(windows(list("fsfsfs")).find("cannot be expressed"), std::string::npos);
  EXPECT_NE(windows(list("ffs")).find("one entry a layer"), std::string::npos);
  EXPECT_NE(windows(", \"layer_types\": [1, 2, 3, 4, 5, 6]").find("another kind"),
            std::string::npos);
}

TEST(ConfigJson, KeepsDenseLayersAmongExpertLayers) {
  const std::string text = R"({"model_type": "qwen3_moe", "num_hidden_layers": 4, "hidden_size": 64,
      "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
      "moe_intermediate_size": 32, "num_experts": 8, "num_experts_per_tok": 2, "vocab_size": 10,
      "mlp_only_layers": )";
  const auto a = parse_config_json(text + "[2, 0, 2]}", "x");
  ASSERT_TRUE(a) << to_string(a.faults());
  EXPECT_FALSE(is_moe_layer(*a, 0));
  EXPECT_TRUE(is_moe_layer(*a, 1));
  EXPECT_EQ(moe_layers(*a), 2);
  for (const char* list : {"[4]", "[-1]", "[0.5]", "3", "{\"0\": 1}", "[\"0\"]"}) {
    EXPECT_NE(said(text + list + "}").find("mlp_only_layers"), std::string::npos) << list;
  }
}

TEST(ConfigJson, NotesNumberFormatAndQuantization) {
  EXPECT_EQ(parse_config_json(with("torch_dtype", "\"float16\""), "x")->native_dtype,
            DataType::kFp16);
  EXPECT_EQ(parse_config_json(with("dtype", "\"torch.float32\""), "x")->native_dtype,
            DataType::kFp32);
  EXPECT_EQ(parse_config_json(kLlama, "x")->native_dtype, DataType::kBf16);
  EXPECT_NE(said(with("torch_dtype", "\"bf61\"")).find("did you mean"), std::string::npos);
  EXPECT_EQ(parse_config_json(kLlama, "x")->quantization, "");
  EXPECT_EQ(parse_config_json(with("quantization_config", R"({"quant_method": "fp8"})"), "x")
                ->quantization,
            "fp8");
  EXPECT_NE(said(with("quantization_config", "[1]")).find("quantization_config"),
            std::string::npos);
}

TEST(ConfigJson, NamesTheNearestFamilyAndTheMissingKey) {
  EXPECT_NE(said(R"({"model_type": "lama"})").find("did you mean \"llama\""), std::string::npos);
  const std::string missing =
      said(R"({"model_type": "llama", "num_hidden_layer": 2, "hidden_size": 64,
      "num_attention_heads": 4, "vocab_size": 10})");
  EXPECT_NE(missing.find("num_hidden_layers: missing; did you mean \"num_hidden_layer\""),
            std::string::npos)
      << missing;
}

TEST(ConfigJson, RefusesSizesThatMakeNoSense) {
  for (const char* value : {"0", "-4", "1.5", "1e300", "\"many\"", "99999999999", "[4]", "{}"}) {
    EXPECT_NE(said(with("hidden_size", value)), "") << value;
  }
  EXPECT_NE(said(with("num_key_value_heads", "3")).find("does not divide"), std::string::npos);
  EXPECT_NE(said(with("num_hidden_layers", "99999999")), "");
  EXPECT_NE(said(with("intermediate_size", "0")), "");
  EXPECT_NE(said(with("num_attention_heads", "6")).find("does not divide the hidden size"),
            std::string::npos);
  EXPECT_NE(said(with("num_attention_heads", "NaN")), "");
  EXPECT_NE(said(with("num_attention_heads", "true")), "");
  // Beyond the range of a double: not even a number to the JSON library.
  EXPECT_NE(said(with("hidden_size", "1e400")).find("out of range"), std::string::npos);
  EXPECT_NE(said(with("unknown", "-1e999")).find("out of range"), std::string::npos);
}

// Every size within its own limit, and a product that no integer holds.
TEST(ConfigJson, RefusesModelsWhoseParametersOverflow) {
  const std::string huge = "100000000";
  EXPECT_NE(said(R"({"model_type": "llama", "num_hidden_layers": 100000, "hidden_size": )" + huge +
                 R"(, "num_attention_heads": 1, "intermediate_size": )" + huge +
                 R"(, "vocab_size": )" + huge + "}")
                .find("more than 1e16"),
            std::string::npos);
  EXPECT_NE(said(R"({"model_type": "deepseek_v3", "num_hidden_layers": 1, "hidden_size": 1,
      "num_attention_heads": 100000000, "num_key_value_heads": 1, "intermediate_size": 1,
      "vocab_size": 1, "q_lora_rank": 100000000, "kv_lora_rank": 100000000,
      "qk_nope_head_dim": 100000000, "qk_rope_head_dim": 100000000, "v_head_dim": 100000000,
      "n_routed_experts": 100000000, "num_experts_per_tok": 1, "n_shared_experts": 100000000,
      "moe_intermediate_size": 100000000})")
                .find("more than 1e16"),
            std::string::npos);
}

// Sizes of expert layers that do not occur are no fault, and are not multiplied either.
TEST(ConfigJson, IgnoresTheSizesOfLayersThatDoNotOccur) {
  const std::string text = R"({"model_type": "deepseek_v3", "num_hidden_layers": 2,
      "hidden_size": 100000, "num_attention_heads": 4, "num_key_value_heads": 4,
      "intermediate_size": 64, "vocab_size": 10, "q_lora_rank": 8, "kv_lora_rank": 8,
      "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8, "n_routed_experts": 100000000,
      "num_experts_per_tok": 1, "n_shared_experts": 100000000, "moe_intermediate_size": 100000000,
      "first_k_dense_replace": 2})";
  const auto a = parse_config_json(text, "x");
  ASSERT_TRUE(a) << to_string(a.faults());
  EXPECT_EQ(moe_layers(*a), 0);
  EXPECT_GT(count_parameters(*a).total, 0);
  EXPECT_GT(forward_flops(*a, 3, 4, 1), 0.0);
}

TEST(ConfigJson, PlacesWrongValues) {
  const std::string text =
      "{\n  \"model_type\": \"gemma3\",\n  \"hidden_size\": -1,\n  \"text_config\": "
      "{\n    \"hidden_size\" : -4,\n    \"num_hidden_layers\": 2}\n}";
  EXPECT_NE(said(text).find("config.json:5:5: text_config.hidden_size: -4"), std::string::npos)
      << said(text);
}

TEST(ConfigJson, PlacesSyntaxErrors) {
  EXPECT_NE(said("{\n  \"model_type\": llama\n}").find("config.json:2:17: not valid JSON"),
            std::string::npos)
      << said("{\n  \"model_type\": llama\n}");
  EXPECT_NE(said(""), "");
  EXPECT_NE(said("333232e3332"), "") << "a number beyond doubles is another kind of error";
  EXPECT_NE(said("[]"), "");
  EXPECT_NE(said(std::string(100000, '[')).find("nested too deeply"), std::string::npos);
}

TEST(ConfigJson, NeverCrashesOnATruncatedFile) {
  for (std::size_t n = 0; n < kLlama.size(); ++n) {
    EXPECT_FALSE(parse_config_json(kLlama.substr(0, n), "x")) << n;
  }
}

TEST(LoadArchitecture, SuggestsTheNearestBuiltInName) {
  const Result<Architecture> a = load_architecture("llama-3.1-8");
  ASSERT_FALSE(a);
  EXPECT_EQ(a.faults().front().nearest, "llama-3.1-8b");
  EXPECT_GT(builtin_models().size(), 35U);
}

}  // namespace
}  // namespace orrery::models
