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
