#pragma once
// Device memory of a serving replica: what the weights, the activation peak and the context leave
// for the KV cache, as an engine that profiles its memory at start would find it (vLLM's method).
//
// Check, not fitted: vLLM 0.19 on an RTX 4090 with Llama-3.1-8B in bf16, utilization 0.9, 2048
// batched tokens and 256 sequences found 2,588 blocks of 16 tokens; this model finds 2,622 (+1.3
// %).

#include <cstdint>

#include "models/architecture/architecture.hpp"
#include "models/cost/iteration_cost.hpp"
#include "models/devices/device.hpp"

namespace orrery::models {

struct ServingMemoryRequest {
  const Architecture* architecture = nullptr;
  const Device* device = nullptr;
  ParallelLayout layout;
  DataType weights_dtype = DataType::kBf16;
  DataType kv_dtype = DataType::kBf16;
  std::int64_t max_batched_tokens = 8192;
  std::int64_t max_sequences = 256;
  double utilization = 0.9;  ///< Share of device memory the engine may use.
  std::int64_t block_tokens = 16;
};

/// Bytes on the fullest rank. `kv_bytes` may be negative: then the model does not fit.
struct ServingMemory {
  double device_bytes = 0.0;
  double budget_bytes = 0.0;  ///< utilization x device_bytes.
  double weight_bytes = 0.0;
  double activation_bytes = 0.0;  ///< Peak of a profiling pass over max_batched_tokens.
  double context_bytes = 0.0;     ///< CUDA context, NCCL buffers, allocator slack; assumed.
  double kv_bytes = 0.0;
  double kv_bytes_per_block = 0.0;  ///< On this rank.
  std::int64_t kv_blocks = 0;       ///< max(0, floor(kv_bytes / kv_bytes_per_block)).
};
ServingMemory serving_memory(const ServingMemoryRequest& request);

/// The smallest tensor-parallel degree (a divisor of the heads, power of two) whose KV cache holds
/// at least one sequence of `context_tokens`; 0 when none up to `max_degree` does.
int least_tensor_parallel(ServingMemoryRequest request, std::int64_t context_tokens,
                          int max_degree);

}  // namespace orrery::models
