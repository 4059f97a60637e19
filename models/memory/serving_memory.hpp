#pragma once
// Device memory of a serving replica: what the weights, the activation peak and the context leave
// for the KV cache, as an engine that profiles its memory at start would find it. The method is
// that of vLLM 0.19: share x total memory that the driver reports, less weights, less the peak of
// PyTorch in a pass over max_batched_tokens and in a sampling pass over max_sequences, less what
// grew outside PyTorch meanwhile. CUDA graphs are not set aside (vLLM does so from 0.21 on).
//
// Activation peak: the larger of
//   layer:   tokens x bytes x (2 hidden + widest pair of neighbouring intermediates on this rank),
//            the intermediates being gate, up and their product of the feed-forward (or of every
//            routed copy of a token), or queries, keys, values and attention output;
//   sampler: sequences x vocabulary x 28 bytes + tokens x hidden x bytes (the pass's output).
//
// How far off it is: on an RTX 4090 with Llama-3.1-8B in bf16, utilization 0.9, 2,048 batched
// tokens and 256 sequences, vLLM 0.19 found 2,588 blocks of 16 tokens; this finds 2,587. That is no
// proof: memory as reported and weights are known exactly, but the bytes of a logit and what lies
// outside PyTorch are assumed, were chosen from published ranges with this figure in sight, and are
// known to about 0.25 GiB, which is 130 blocks (5 %) there. Logs of older engines show 1.19 to 1.45
// GiB of activation peak (40 bytes a logit) where this says 0.9 to 1.1 GiB.

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

/// Bytes on the rank with the fewest blocks. `kv_bytes` may be negative: then the model does not
/// fit. Placement: layers in stages as even as they go, the last but one stages taking what is left
/// over; embedding on the first stage, final norm and head on the last (where a tied head is a
/// second copy of the embedding), both cut by the tensor degree; attention and feed-forward cut by
/// the tensor degree, keys and values by at most the number of KV heads; norms, routers and latent
/// down-projections copied; routed experts dealt out over the larger of the expert and tensor
/// degrees.
struct ServingMemory {
  double device_bytes = 0.0;      ///< Total that the driver reports.
  double budget_bytes = 0.0;      ///< utilization x device_bytes.
  double weight_bytes = 0.0;      ///< With the table of rotary embeddings.
  double activation_bytes = 0.0;  ///< Peak of a profiling pass over max_batched_tokens.
  double context_bytes = 0.0;     ///< Kernels, workspaces, NCCL buffers beside PyTorch; assumed.
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
