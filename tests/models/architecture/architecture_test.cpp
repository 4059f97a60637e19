#include "models/architecture/architecture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/architecture/config_json.hpp"

namespace orrery::models {
namespace {

Architecture load(const std::string& name) {
  Result<Architecture> architecture = load_architecture(name);
  EXPECT_TRUE(architecture) << name;
  return architecture ? *architecture : Architecture{};
}

struct Published {
  const char* model;
  std::int64_t total;
  const char* source;
};

// Totals of the published checkpoints (sum of the tensors' sizes in their safetensors index, as the
// model pages show them), or of the papers' own tables.
const std::vector<Published> kPublished{
    {"llama-2-7b", 6'738'415'616, "meta-llama/Llama-2-7b-hf"},
    {"llama-2-13b", 13'015'864'320, "meta-llama/Llama-2-13b-hf"},
    {"llama-2-70b", 68'976'648'192, "meta-llama/Llama-2-70b-hf"},
    {"llama-3.1-8b", 8'030'261'248, "meta-llama/Llama-3.1-8B"},
    {"llama-3.1-70b", 70'553'706'496, "meta-llama/Llama-3.1-70B"},
    {"llama-3.1-405b", 405'853'388'800, "meta-llama/Llama-3.1-405B"},
    {"llama-3.2-1b", 1'235'814'400, "meta-llama/Llama-3.2-1B"},
    {"llama-3.2-3b", 3'212'749'824, "meta-llama/Llama-3.2-3B"},
    {"mistral-7b", 7'241'732'096, "mistralai/Mistral-7B-v0.1"},
    {"mixtral-8x7b", 46'702'792'704, "mistralai/Mixtral-8x7B-v0.1"},
    {"mixtral-8x22b", 140'620'634'112, "mistralai/Mixtral-8x22B-v0.1"},
    {"qwen2.5-7b", 7'615'616'512, "Qwen/Qwen2.5-7B"},
    {"qwen2.5-14b", 14'770'033'664, "Qwen/Qwen2.5-14B"},
    {"qwen2.5-32b", 32'763'876'352, "Qwen/Qwen2.5-32B"},
    {"qwen2.5-72b", 72'706'203'648, "Qwen/Qwen2.5-72B"},
    {"qwen3-8b", 8'190'735'360, "Qwen/Qwen3-8B"},
    {"qwen3-14b", 14'768'307'200, "Qwen/Qwen3-14B"},
    {"qwen3-32b", 32'762'123'264, "Qwen/Qwen3-32B"},
    {"qwen3-30b-a3b", 30'532'122'624, "Qwen/Qwen3-30B-A3B"},
    {"qwen3-235b-a22b", 235'093'634'560, "Qwen/Qwen3-235B-A22B"},
    {"gemma-2-9b", 9'241'705'984, "google/gemma-2-9b"},
    {"gemma-2-27b", 27'227'128'320, "google/gemma-2-27b"},
    {"gemma-3-1b", 999'885'952, "google/gemma-3-1b-pt"},
    {"phi-3-mini", 3'821'079'552, "microsoft/Phi-3-mini-4k-instruct"},
    {"gpt2", 124'439'808, "openai-community/gpt2"},
    {"gpt2-xl", 1'557'611'200, "openai-community/gpt2-xl"},
    {"opt-6.7b", 6'658'473'984, "facebook/opt-6.7b"},
    {"bert-large", 335'174'458, "BertForMaskedLM of google-bert/bert-large-uncased"},
    {"bert-base", 109'514'298, "BertForMaskedLM of google-bert/bert-base-uncased"},
    {"deepseek-v2", 235'741'434'880, "deepseek-ai/DeepSeek-V2"},
    {"deepseek-v3", 671'026'419'200, "deepseek-ai/DeepSeek-V3 without multi-token prediction"},
    {"llada-8b", 8'015'581'184, "GSAI-ML/LLaDA-8B-Instruct"},
    {"dream-7b", 7'615'616'512, "Dream-org/Dream-v0-Instruct-7B"},
};

TEST(ParameterCount, EqualsThePublishedCheckpointsExactly) {
  for (const Published& published : kPublished) {
    EXPECT_EQ(count_parameters(load(published.model)).total, published.total)
        << published.model << ": " << published.source;
  }
}

// A second way to the same number: Llama-3.1-8B added up by hand.
TEST(ParameterCount, OfLlama8bIsTheSumOfItsMatrices) {
  const std::int64_t attention = 4096 * 4096 * 2 + 2 * 4096 * 1024;
  const std::int64_t feed_forward = 3LL * 4096 * 14336;
  const std::int64_t layer = attention + feed_forward + 2 * 4096;
  const std::int64_t all = 32 * layer + 2LL * 128256 * 4096 + 4096;
  EXPECT_EQ(count_parameters(load("llama-3.1-8b")).total, all);
}

TEST(ParameterCount, ActiveCountsTheExpertsOfOneToken) {
  // Mixtral: 32 layers keep 2 of 8 experts of 3 x 4096 x 14336.
  const ParameterCount mixtral = count_parameters(load("mixtral-8x7b"));
  EXPECT_EQ(mixtral.total - mixtral.active, 32LL * 6 * 3 * 4096 * 14336);
  const ParameterCount dense = count_parameters(load("llama-3.1-8b"));
  EXPECT_EQ(dense.total, dense.active);
}

TEST(KvCache, BytesPerTokenAreThoseWorkedOutByHand) {
  EXPECT_EQ(kv_bytes_per_token(load("llama-2-7b"), DataType::kFp16), 2 * 32 * 32 * 128 * 2);
  EXPECT_EQ(kv_bytes_per_token(load("llama-3.1-8b"), DataType::kBf16), 131072);
  EXPECT_EQ(kv_bytes_per_token(load("llama-3.1-70b"), DataType::kBf16), 327680);
  EXPECT_EQ(kv_bytes_per_token(load("llama-3.1-70b"), DataType::kFp8), 163840);
  EXPECT_EQ(kv_bytes_per_token(load("deepseek-v3"), DataType::kBf16), 61 * (512 + 64) * 2);
}

TEST(ForwardFlops, OfADenseModelAreTwicePerWeightPlusAttention) {
  const Architecture llama = load("llama-2-7b");
  const double weights = 32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008);
  // 100 tokens after 50: pairs 100 x 50 + 100 x 101 / 2; 4 x 4096 FLOPs a pair and layer.
  const double attention = 32.0 * 4 * 4096 * (100 * 50 + 100 * 101 / 2);
  const double head = 2.0 * 4096 * 32000 * 3;
  EXPECT_DOUBLE_EQ(forward_flops(llama, 100, 50, 3), 2.0 * 100 * weights + attention + head);
}

TEST(ForwardFlops, DoNotDependOnHowAPromptIsCut) {
  for (const char* name : {"llama-3.1-8b", "gemma-2-9b", "deepseek-v3", "mixtral-8x7b"}) {
    const Architecture model = load(name);
    const double whole = forward_flops(model, 10000, 0, 1);
    const double parts = forward_flops(model, 3000, 0, 0) + forward_flops(model, 5000, 3000, 0) +
                         forward_flops(model, 2000, 8000, 1);
    EXPECT_NEAR(parts / whole, 1.0, 1e-12) << name;
  }
}

TEST(ForwardFlops, OfABidirectionalModelCountEveryPair) {
  const Architecture llada = load("llada-8b");
  const double with = forward_flops(llada, 64, 0, 0);
  const double without = 2.0 * 64 * 32 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 12288);
  EXPECT_DOUBLE_EQ(with - without, 32.0 * 4 * 4096 * 64 * 64);
}

TEST(Windows, AlternateAsTheFamilySays) {
  const Architecture gemma2 = load("gemma-2-9b");
  EXPECT_EQ(attention_window(gemma2, 0), 4096);
  EXPECT_EQ(attention_window(gemma2, 1), 0);
  const Architecture gemma3 = load("gemma-3-27b");
  for (std::int64_t layer = 0; layer < 12; ++layer) {
    EXPECT_EQ(attention_window(gemma3, layer) == 0, layer % 6 == 5) << layer;
  }
  EXPECT_EQ(attention_window(load("llama-3.1-8b"), 0), 0);
}

TEST(ExpertLayers, StartAfterTheDenseOnes) {
  const Architecture deepseek = load("deepseek-v3");
  EXPECT_EQ(moe_layers(deepseek), 58);
  EXPECT_FALSE(is_moe_layer(deepseek, 2));
  EXPECT_TRUE(is_moe_layer(deepseek, 3));
}

}  // namespace
}  // namespace orrery::models
