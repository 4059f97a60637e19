#include "models/memory/serving_memory.hpp"

#include <gtest/gtest.h>

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
// 256 sequences: 2,588 blocks of 16 tokens. Nothing here was fitted on it.
TEST(ServingMemory, FindsTheBlocksThatVllmFoundOnAnRtx4090WithinThreePercent) {
  const Architecture model = load_architecture("llama-3.1-8b").value();
  ServingMemoryRequest request = request_for(model, "rtx-4090", 1);
  request.max_batched_tokens = 2048;
  request.max_sequences = 256;
  EXPECT_NEAR(static_cast<double>(serving_memory(request).kv_blocks), 2588, 0.03 * 2588);
}

TEST(ServingMemory, WeightsAddUpToTheModelOverTheRanks) {
  const Architecture model = load_architecture("llama-2-7b").value();
  const double whole = static_cast<double>(count_parameters(model).total) * 2.0;
  for (const int tensor : {1, 2, 4, 8}) {
    const ServingMemory memory = serving_memory(request_for(model, "a100", tensor));
    EXPECT_NEAR(memory.weight_bytes * tensor / whole, 1.0, 1e-9) << tensor;
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
