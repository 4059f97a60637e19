#include "models/architecture/architecture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

// Totals of the published checkpoints: sums of the tensors' sizes in their safetensors index, as
// the model pages show them. Those of Llama 2 count 64 numbers a layer more there, the frequencies
// of rotary embeddings, which are no parameters. "by hand": no published total was found, and the
// number is the sum over the checkpoint's tensors.
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
    {"phi-2", 2'779'683'840, "microsoft/phi-2"},
    {"opt-30b", 29'974'540'288, "facebook/opt-30b, by hand"},
    {"llama-3-8b", 8'030'261'248, "meta-llama/Meta-Llama-3-8B"},
    {"llama-3-70b", 70'553'706'496, "meta-llama/Meta-Llama-3-70B"},
    {"llama-3.3-70b", 70'553'706'496, "meta-llama/Llama-3.3-70B-Instruct"},
    {"llada-1.5", 8'015'581'184, "GSAI-ML/LLaDA-1.5, by hand"},
    {"phi-3-mini", 3'821'079'552, "microsoft/Phi-3-mini-4k-instruct"},
    {"gpt2", 124'439'808, "openai-community/gpt2"},
    {"gpt2-xl", 1'557'611'200, "openai-community/gpt2-xl"},
    {"opt-6.7b", 6'658'473'984, "facebook/opt-6.7b, by hand"},
    {"bert-large", 335'174'458, "BertForMaskedLM of google-bert/bert-large-uncased"},
    {"bert-base", 109'514'298, "BertForMaskedLM of google-bert/bert-base-uncased"},
    {"deepseek-v2", 235'741'434'880, "deepseek-ai/DeepSeek-V2"},
    {"deepseek-v3", 671'026'419'200, "deepseek-ai/DeepSeek-V3 without multi-token prediction"},
    {"llada-8b", 8'015'581'184, "GSAI-ML/LLaDA-8B-Instruct, by hand"},
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

// Checkpoints of Gemma 3 hold the vision tower too. Its size by hand (SigLIP, 27 layers of 1152
// with 4304, 896 x 896 pixels in patches of 14, no head) and the projector's two tensors come off.
TEST(ParameterCount, OfGemma3IsTheCheckpointWithoutItsVisionTower) {
  const std::int64_t attention = 4 * (1152 * 1152 + 1152);
  const std::int64_t feed_forward = 2 * 1152 * 4304 + 4304 + 1152;
  const std::int64_t tower = 27 * (attention + feed_forward + 4 * 1152) +
                             (14 * 14 * 3 * 1152 + 1152) + 64 * 64 * 1152 + 2 * 1152;
  const auto projector = [](std::int64_t hidden) { return 1152 * hidden + 1152; };
  EXPECT_EQ(count_parameters(load("gemma-3-12b")).total,
            12'187'325'040 - tower - projector(3840));  // google/gemma-3-12b-it
  EXPECT_EQ(count_parameters(load("gemma-3-27b")).total,
            27'432'406'640 - tower - projector(5376));  // google/gemma-3-27b-it
}

TEST(ParameterCount, OfGpt3ShapesIsTheClosedForm) {
  // 12 L h^2 + 13 L h in the layers, the two tables and the final norm.
  const auto closed = [](std::int64_t layers, std::int64_t hidden, std::int64_t positions) {
    return 12 * layers * hidden * hidden + 13 * layers * hidden + (50257 + positions) * hidden +
           2 * hidden;
  };
  EXPECT_EQ(count_parameters(load("gpt3-175b")).total, closed(96, 12288, 2048));
  EXPECT_EQ(count_parameters(load("gpt3-1.3b")).total, closed(24, 2048, 1024));
}

TEST(ParameterCount, ActiveOfTheMixturesIsWhatTheirAuthorsState) {
  // DeepSeek-V3: 37 B of 671 B; 58 layers leave 248 of 256 experts of 3 x 7168 x 2048 aside.
  const ParameterCount v3 = count_parameters(load("deepseek-v3"));
  EXPECT_EQ(v3.total - v3.active, 58LL * 248 * 3 * 7168 * 2048);
  EXPECT_NEAR(static_cast<double>(v3.active), 37e9, 0.6e9);
  EXPECT_NEAR(static_cast<double>(count_parameters(load("deepseek-v2")).active), 21e9, 0.5e9);
  EXPECT_NEAR(static_cast<double>(count_parameters(load("qwen3-30b-a3b")).active), 3.3e9, 0.1e9);
  EXPECT_NEAR(static_cast<double>(count_parameters(load("qwen3-235b-a22b")).active), 22e9, 0.3e9);
  EXPECT_NEAR(static_cast<double>(count_parameters(load("mixtral-8x7b")).active), 12.9e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(count_parameters(load("mixtral-8x22b")).active), 39e9, 0.3e9);
}

TEST(ParameterCount, InFloatingPointAgreesWithTheExactOne) {
  for (const std::string& name : builtin_models()) {
    const Architecture model = load(name);
    const auto exact = static_cast<double>(count_parameters(model).total);
    EXPECT_NEAR(approximate_parameters(model) / exact, 1.0, 1e-12) << name;
  }
}

TEST(KvCache, OfASequenceStopsGrowingInWindowedLayers) {
  const double per_token = kv_bytes_per_token(load("gemma-3-27b"), DataType::kBf16);
  EXPECT_EQ(kv_bytes_of_sequence(load("gemma-3-27b"), DataType::kBf16, 1024), 1024 * per_token);
  // 62 layers, of which 10 (5, 11, ..., 59) are full; 2 x 16 x 128 x 2 bytes a layer.
  EXPECT_EQ(kv_bytes_of_sequence(load("gemma-3-27b"), DataType::kBf16, 9024),
            (10 * 9024.0 + 52 * 1024.0) * 8192);
  EXPECT_EQ(kv_bytes_of_sequence(load("mistral-7b"), DataType::kBf16, 32768), 4096 * 131072.0);
  EXPECT_EQ(kv_bytes_of_sequence(load("llama-3.1-8b"), DataType::kBf16, 5000), 5000 * 131072.0);
  EXPECT_EQ(kv_bytes_of_sequence(load("llama-3.1-8b"), DataType::kBf16, -1), 0.0);
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

// Every pair of a query and a key counted one by one.
TEST(ForwardFlops, OfWindowsAreASumOverPairs) {
  Architecture model = load("gemma-2-9b");
  model.sliding_window = 7;
  const auto attention = [&model](std::int64_t tokens, std::int64_t context) {
    double pairs = 0.0;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
      const std::int64_t window = attention_window(model, layer);
      for (std::int64_t i = 1; i <= tokens; ++i) {
        const std::int64_t seen = context + i;
        pairs += static_cast<double>(window > 0 ? std::min(window, seen) : seen);
      }
    }
    return 4.0 * static_cast<double>(model.heads * model.head_dim) * pairs;
  };
  double weights = 0.0;
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    weights += static_cast<double>(attention_matrix_weights(model) +
                                   active_ffn_matrix_weights(model, layer));
  }
  for (const std::int64_t context : {0, 3, 6, 7, 20}) {
    for (const std::int64_t tokens : {1, 2, 7, 8, 30}) {
      const double expected =
          2.0 * static_cast<double>(tokens) * weights + attention(tokens, context);
      EXPECT_DOUBLE_EQ(forward_flops(model, tokens, context, 0), expected)
          << tokens << " after " << context;
    }
  }
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

// moe_layers() has a closed form; is_moe_layer() is the definition.
TEST(ExpertLayers, AreAsManyAsAreMarked) {
  Architecture model = load("qwen3-30b-a3b");
  for (std::int64_t step = 1; step <= 5; ++step) {
    for (std::int64_t offset = 0; offset <= 3; ++offset) {
      for (const std::int64_t first : {0, 1, 5, 47, 48, 60}) {
        model.moe->layer_step = step;
        model.moe->layer_offset = offset;
        model.moe->first_dense_layers = first;
        model.moe->dense_layers = {0, 7, 11, 99};
        std::int64_t marked = 0;
        for (std::int64_t layer = 0; layer < model.layers; ++layer) {
          marked += is_moe_layer(model, layer) ? 1 : 0;
        }
        EXPECT_EQ(moe_layers(model), marked) << step << " " << offset << " " << first;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::models
