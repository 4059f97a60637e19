#include "models/memory/serving_memory.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::models {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;
// assumed: CUDA context, cuBLAS workspaces and allocator slack that an engine finds outside its
// tensors, about what nvidia-smi shows for an idle process.
constexpr double kContextBytes = 600.0 * kMebi;
// assumed: NCCL buffers and custom all-reduce workspaces with more than one rank.
constexpr double kCollectiveBytes = 800.0 * kMebi;
// Memory that the driver keeps for itself. PyTorch reports 23.64 GiB of an RTX 4090's 24, 39.4 of
// an A100's 40 and 79.1 of an H100's 80; this line is within 0.1 GiB of the three.
constexpr double kReservedBytes = 150.0 * kMebi;
constexpr double kReservedShare = 0.009;
// Bytes of one logit at the peak of sampling with top-k and top-p in PyTorch: fp32 logits, their
// sorted copy, 64-bit indices, and probabilities (the cumulative sum is taken in place).
constexpr double kSamplingBytesPerLogit = 4.0 + 4.0 + 8.0 + 4.0;

double ceil_div(double a, double b) { return std::ceil(a / b); }

// Parameters on the fullest rank: a stage's share of layers, sharded over the tensor ranks; norms
// are whole on every rank. The first stage holds the embedding, the last the head.
double parameters_on_rank(const Architecture& a, const ParallelLayout& layout) {
  const ParameterCount count = count_parameters(a);
  const auto tensor = static_cast<double>(layout.tensor);
  const double ends = static_cast<double>(count.embedding + count.head);
  const double per_layer =
      (static_cast<double>(count.total) - ends) / static_cast<double>(a.layers);
  const double layers = ceil_div(static_cast<double>(a.layers), layout.pipeline);
  double layer_parameters = per_layer / tensor;
  if (!a.latent && a.kv_heads < layout.tensor) {
    // Keys and values are replicated, not sharded further.
    const double kv = 2.0 * static_cast<double>(a.hidden * a.kv_heads * a.head_dim);
    layer_parameters += kv / static_cast<double>(a.kv_heads) - kv / tensor;
  }
  const double embedding = static_cast<double>(count.embedding) / tensor;
  const double head = static_cast<double>(count.head) / tensor;
  const double end_share = layout.pipeline == 1 ? embedding + head : std::max(embedding, head);
  return layers * layer_parameters + end_share;
}

// Peak of a forward pass over `tokens` tokens, as PyTorch's allocator would see it: residual stream
// and its normed copy, the widest pair of intermediates of a layer, and the logits of every
// sequence while they are sampled.
double activation_peak(const ServingMemoryRequest& r) {
  const Architecture& a = *r.architecture;
  const auto tokens = static_cast<double>(r.max_batched_tokens);
  const auto tensor = static_cast<double>(r.layout.tensor);
  const double element = 2.0;
  const auto hidden = static_cast<double>(a.hidden);
  double ffn = static_cast<double>(a.ffn) * (a.gated_ffn ? 3.0 : 2.0) / tensor;
  if (a.moe) {
    // Fused experts keep the intermediates of every routed copy of a token.
    const auto routed = static_cast<double>(a.moe->experts_per_token);
    ffn = std::max(ffn, routed * (3.0 * static_cast<double>(a.moe->expert_ffn) / tensor + hidden));
  }
  const double attention = static_cast<double>(a.heads * a.head_dim) * 2.0 / tensor +
                           2.0 * std::max(1.0, static_cast<double>(a.kv_heads) / tensor) *
                               static_cast<double>(a.head_dim);
  const double layer = tokens * element * (2.0 * hidden + std::max(ffn, attention));
  const double rows = static_cast<double>(std::min(r.max_sequences, r.max_batched_tokens));
  const double logits = rows * static_cast<double>(a.head_rows) * kSamplingBytesPerLogit;
  return std::max(layer, logits + tokens * element * hidden);
}

double kv_bytes_per_block_on_rank(const ServingMemoryRequest& r) {
  const Architecture& a = *r.architecture;
  const double whole = kv_bytes_per_token(a, r.kv_dtype) * static_cast<double>(r.block_tokens);
  const double layers =
      ceil_div(static_cast<double>(a.layers), r.layout.pipeline) / static_cast<double>(a.layers);
  // The latent of latent attention is replicated over the tensor ranks, KV heads at most kv_heads
  // ways.
  const double ways = a.latent ? 1.0
                               : std::min<double>(static_cast<double>(a.kv_heads),
                                                  static_cast<double>(r.layout.tensor));
  return whole * layers / ways;
}

}  // namespace

ServingMemory serving_memory(const ServingMemoryRequest& request) {
  ServingMemory memory;
  memory.device_bytes = request.device->memory_bytes;
  const double usable = memory.device_bytes * (1.0 - kReservedShare) - kReservedBytes;
  memory.budget_bytes = request.utilization * usable;
  memory.weight_bytes = parameters_on_rank(*request.architecture, request.layout) *
                        bytes_per_element(request.weights_dtype);
  memory.activation_bytes = activation_peak(request);
  const int ranks = request.layout.tensor * request.layout.pipeline;
  memory.context_bytes = kContextBytes + (ranks > 1 ? kCollectiveBytes : 0.0);
  memory.kv_bytes =
      memory.budget_bytes - memory.weight_bytes - memory.activation_bytes - memory.context_bytes;
  memory.kv_bytes_per_block = kv_bytes_per_block_on_rank(request);
  if (memory.kv_bytes > 0.0 && memory.kv_bytes_per_block > 0.0) {
    constexpr double kMostBlocks = 1e15;
    memory.kv_blocks = static_cast<std::int64_t>(
        std::min(kMostBlocks, std::floor(memory.kv_bytes / memory.kv_bytes_per_block)));
  }
  return memory;
}

int least_tensor_parallel(ServingMemoryRequest request, std::int64_t context_tokens,
                          int max_degree) {
  for (int degree = 1; degree <= max_degree; degree *= 2) {
    if (request.architecture->heads % degree != 0) continue;
    request.layout.tensor = degree;
    const ServingMemory memory = serving_memory(request);
    if (memory.kv_blocks * request.block_tokens >= context_tokens) return degree;
  }
  return 0;
}

}  // namespace orrery::models
