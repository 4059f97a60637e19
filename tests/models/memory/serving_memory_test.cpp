#include "models/memory/serving_memory.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <limits>

#include "models/architecture/config_json.hpp"

namespace orrery::models {
namespace {

ServingMemoryRequest request_for(const Architecture& model, const char* device, int tensor) {
  ServingMemoryRequest request;
  request.architecture = &model;
  request.device = find_device(device);
  request.layout.tensor = tensor;
  return request;
}

// Measured: vLLM 0.19 on an RTX 4090, Llama-3.1-8B in bf16, utilization 0.9, 2048 batched tokens,
// 256 sequences: 2,588 blocks of 16 tokens. The tolerance is what the assumed parts are known to,
// not the distance.
TEST(ServingMemory, FindsTheBlocksThatVllmFoundOnAnRtx4090WithinFourPercent) {
  const Architecture model = load_architecture("llama-3.1-8b").value();
  ServingMemoryRequest request = request_for(model, "rtx-4090", 1);
  request.max_batched_tokens = 2048;
  request.max_sequences = 256;
  const ServingMemory memory = serving_memory(request);
  EXPECT_NEAR(static_cast<double>(memory.kv_blocks), 2588, 0.04 * 2588);
  // "Model loading took 14.9889 GiB" in the engine's log of this model on any one device.
  EXPECT_NEAR(memory.weight_bytes / (1024.0 * 1024 * 1024), 14.9889, 0.001);
}

// "PyTorch activation peak memory takes" in public logs of vLLM's first engine, 256 sequences:
// 1.19 to 1.26 GiB for Llama-3.1-8B on one H100, 1.45 for Qwen3-8B on four devices. They sorted
// with more scratch than is counted here.
TEST(ServingMemory, ActivationPeakIsAtMostThirtyPercentBelowLogsOfAnOlderEngine) {
  const auto peak = [](const char* name, int tensor) {
    const Architecture model = load_architecture(name).value();
    return serving_memory(request_for(model, "h100", tensor)).activation_bytes / 1073741824.0;
  };
  EXPECT_LT(peak("llama-3.1-8b", 1), 1.19);
  EXPECT_GT(peak("llama-3.1-8b", 1), 0.7 * 1.26);
  EXPECT_LT(peak("qwen3-8b", 4), 1.45);
  EXPECT_GT(peak("qwen3-8b", 4), 0.7 * 1.45);
}

double rotary_table(const Architecture& model) {
  return static_cast<double>(model.max_positions * model.head_dim) * 2.0;
}

TEST(ServingMemory, WeightsAddUpToTheModelOverTheRanks) {
  const Architecture model = load_architecture("llama-2-7b").value();
  const double whole = static_cast<double>(count_parameters(model).total) * 2.0;
  const double norms = (2.0 * 32 + 1) * 4096 * 2.0;  // A copy on every rank.
  for (const int tensor : {1, 2, 4, 8}) {
    const ServingMemory memory = serving_memory(request_for(model, "a100", tensor));
    const double expected = (whole - norms) / tensor + norms + rotary_table(model);
    EXPECT_NEAR(memory.weight_bytes / expected, 1.0, 1e-12) << tensor;
  }
}

TEST(ServingMemory, LatentDownProjectionsAreCopiedAndExpertsDealtOut) {
  const Architecture model = load_architecture("deepseek-v3").value();
  const ParameterCount count = count_parameters(model);
  const double experts = 58.0 * 256 * 3 * 7168 * 2048;
  const double copied =
      61.0 * (7168 * (1536 + 512 + 64) + 1536 + 512 + 2 * 7168) + 58.0 * (7168 * 256 + 256) + 7168;
  const double cut = static_cast<double>(count.total) - experts - copied;
  ServingMemoryRequest request = request_for(model, "h200", 8);
  request.weights_dtype = DataType::kFp8;
  const double table = 163840.0 * 64 * 2;
  EXPECT_NEAR(serving_memory(request).weight_bytes, cut / 8 + experts / 8 + copied + table, 1e3);
  request.layout.expert = 32;  // Four replicas of attention share their experts.
  EXPECT_NEAR(serving_memory(request).weight_bytes, cut / 8 + experts / 32 + copied + table, 1e3);
  EXPECT_DOUBLE_EQ(serving_memory(request).kv_bytes_per_block, 16.0 * 61 * 576 * 2);
}

TEST(ServingMemory, StagesHoldTheirLayersAndEndsTheirTables) {
  // 80 layers over 3 stages: 26, 27, 27 would be even; the rest goes to the last but one stages.
  const Architecture model = load_architecture("llama-2-70b").value();
  ServingMemoryRequest request = request_for(model, "h100", 4);
  request.layout.pipeline = 3;
  const double layer = static_cast<double>(count_parameters(model).total) - 2.0 * 32000 * 8192;
  const ServingMemory memory = serving_memory(request);
  // 27 of 80 layers, and the head where the fullest is the last or the embedding where the first.
  EXPECT_GT(memory.weight_bytes, 26.0 / 80 * layer / 4 * 2);
  EXPECT_LT(memory.weight_bytes, 27.1 / 80 * layer / 4 * 2 + 2.0 * 32000 * 8192 / 4 * 2);
  EXPECT_DOUBLE_EQ(memory.kv_bytes_per_block, 27 * 16 * 2.0 * 2 * 128 * 2);
  request.layout.pipeline = 1000;  // More stages than layers count as one layer a stage.
  EXPECT_DOUBLE_EQ(serving_memory(request).kv_bytes_per_block, 16 * 2.0 * 2 * 128 * 2);
}

TEST(ServingMemory, MoreRanksNeverHoldMoreWeightsOrFewerBlocks) {
  for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v2", "qwen3-30b-a3b"}) {
    const Architecture model = load_architecture(name).value();
    double weights = 1e18;
    std::int64_t blocks = 0;
    for (const int tensor : {1, 2, 4, 8, 16, 32}) {
      const ServingMemory memory = serving_memory(request_for(model, "b200", tensor));
      EXPECT_LE(memory.weight_bytes, weights) << name << " " << tensor;
      EXPECT_GE(memory.kv_blocks, blocks) << name << " " << tensor;
      weights = memory.weight_bytes;
      blocks = memory.kv_blocks;
    }
  }
}

TEST(ServingMemory, SurvivesNumbersThatMakeNoSense) {
  const Architecture model = load_architecture("llama-3.1-8b").value();
  for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{0}, INT64_MAX, INT64_MIN}) {
    ServingMemoryRequest request = request_for(model, "h100", 1);
    request.max_batched_tokens = value;
    request.max_sequences = value;
    request.block_tokens = value;
    request.layout = {0, -5, -1};
    EXPECT_GE(serving_memory(request).kv_blocks, 0);
    request.utilization = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(serving_memory(request).kv_blocks, 0);
    EXPECT_EQ(least_tensor_parallel(request, 1, INT_MAX), 0);
  }
}

TEST(ServingMemory, KvHeadsAreReplicatedBeyondTheirNumber) {
  const Architecture model = load_architecture("llama-3.1-70b").value();  // 8 KV heads
  const double at8 = serving_memory(request_for(model, "h100", 8)).kv_bytes_per_block;
  const double at16 = serving_memory(request_for(model, "h100", 16)).kv_bytes_per_block;
  const double at4 = serving_memory(request_for(model, "h100", 4)).kv_bytes_per_block;
  EXPECT_DOUBLE_EQ(at4, 2 * at8);
  EXPECT_DOUBLE_EQ(at16, at8);
}

TEST(ServingMemory, A70bModelNeedsMoreThanOne80GigabyteDevice) {
  const Architecture model = load_architecture("llama-3.1-70b").value();
  const ServingMemory one = serving_memory(request_for(model, "h100", 1));
  EXPECT_EQ(one.kv_blocks, 0);
  EXPECT_GT(one.weight_bytes, one.device_bytes);
  EXPECT_GT(serving_memory(request_for(model, "h100", 4)).kv_blocks, 10000);
  EXPECT_EQ(least_tensor_parallel(request_for(model, "h100", 1), 8192, 64), 2);
  EXPECT_EQ(least_tensor_parallel(request_for(model, "rtx-4090", 1), 8192, 4), 0);
}

TEST(ServingMemory, MoreUtilizationNeverGivesFewerBlocks) {
  const Architecture model = load_architecture("llama-3.1-8b").value();
  std::int64_t before = 0;
  for (double utilization = 0.05; utilization <= 1.0; utilization += 0.05) {
    ServingMemoryRequest request = request_for(model, "h100", 1);
    request.utilization = utilization;
    const std::int64_t blocks = serving_memory(request).kv_blocks;
    EXPECT_GE(blocks, before);
    before = blocks;
  }
  EXPECT_GT(before, 20000);
}

}  // namespace
}  // namespace orrery::models
