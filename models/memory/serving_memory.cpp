#include "models/memory/serving_memory.hpp"

#include <algorithm>
#include <cmath>

#include "models/architecture/layer_weights.hpp"

namespace orrery::models {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;
// assumed: loaded kernels, cuBLAS and attention workspaces. Public logs of vLLM give 0.05 to 0.28
// GiB of growth outside PyTorch on one device; 0.26 on an A100 with Llama-3.1-8B. The CUDA context
// itself is there before the engine looks and does not count.
constexpr double kContextBytes = 256.0 * kMebi;
// assumed: NCCL buffers and the workspace of custom all-reduce with more than one rank; logs give
// 0.5 to 1.8 GiB.
constexpr double kCollectiveBytes = 800.0 * kMebi;
// assumed: bytes of one logit at the peak of sampling with top-k and top-p: 16-bit logits 2, fp32
// copy 4, sorted values 4, 64-bit indices 8, two masks 2, probabilities (summed in place) 4,
// result 4. Scratch of the sort comes on top where the engine sorts (40 in all in logs of vLLM's
// first engine).
constexpr double kSamplingBytesPerLogit = 28.0;

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Degrees as people may write them; below 1 counts as 1.
struct Degrees {
  double tensor = 1.0;
  double experts = 1.0;
  std::int64_t stages = 1;
};

Degrees degrees_of(const ServingMemoryRequest& r) {
  Degrees degrees;
  degrees.tensor = std::max(1, r.layout.tensor);
  degrees.experts = std::max(degrees.tensor, static_cast<double>(r.layout.expert));
  degrees.stages = std::clamp<std::int64_t>(r.layout.pipeline, 1,
                                            std::max<std::int64_t>(1, r.architecture->layers));
  return degrees;
}

// Layers [first, end) of a stage: as even as they go, the last but one stages taking the rest.
struct StageLayers {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

StageLayers layers_of_stage(std::int64_t layers, std::int64_t stages, std::int64_t stage) {
  const std::int64_t base = layers / stages;
  const std::int64_t rest =
      layers % stages;  // Stages [stages - 1 - rest, stages - 1) have one more.
  const std::int64_t longer_from = stages - 1 - rest;
  const auto start_of = [&](std::int64_t s) {
    return s * base + std::clamp<std::int64_t>(s - longer_from, 0, rest);
  };
  return {start_of(stage), start_of(stage + 1)};
}

double layer_parameters_on_rank(const Architecture& a, const Degrees& degrees, bool moe) {
  const auto weights = layer_weights<double>(a, moe);
  const double kv_ways = std::min(degrees.tensor, std::max(1.0, static_cast<double>(a.kv_heads)));
  double count = weights.sharded.total() / degrees.tensor + weights.key_value.total() / kv_ways +
                 weights.replicated.total();
  if (weights.experts > 0) {
    // Dealt out whole over the expert degree, what is left of the ways cuts each expert.
    count += weights.experts * weights.expert.total() / degrees.experts;
  }
  return count;
}

double parameters_on_rank(const Architecture& a, const Degrees& degrees, std::int64_t stage) {
  const StageLayers range = layers_of_stage(a.layers, degrees.stages, stage);
  std::int64_t moe = 0;
  for (std::int64_t layer = range.first; layer < range.end; ++layer) {
    moe += is_moe_layer(a, layer) ? 1 : 0;
  }
  double count =
      as_double(range.end - range.first - moe) * layer_parameters_on_rank(a, degrees, false);
  if (moe > 0) count += as_double(moe) * layer_parameters_on_rank(a, degrees, true);
  const bool first = stage == 0;
  const bool last = stage == degrees.stages - 1;
  const double embedding = embedding_parameters<double>(a);
  if (first) {
    count += embedding / degrees.tensor;
    if (a.embedding_norm) count += norm_parameters<double>(a);
  }
  if (last) {
    count += head_parameters<double>(a) / degrees.tensor + as_double(a.extra_parameters);
    if (a.final_norm) count += norm_parameters<double>(a);
    if (!first && a.tied_embeddings && a.head_rows > 0) count += embedding / degrees.tensor;
  }
  return count;
}

// Bytes of an activation: fp32 models compute in fp32, all others in 16 bits.
double activation_element(const ServingMemoryRequest& r) {
  return r.weights_dtype == DataType::kFp32 ? 4.0 : 2.0;
}

double activation_peak(const ServingMemoryRequest& r, const Degrees& degrees, bool last_stage) {
  const Architecture& a = *r.architecture;
  const double tokens = as_double(std::max<std::int64_t>(0, r.max_batched_tokens));
  const double element = activation_element(r);
  const double hidden = as_double(a.hidden);
  double widest = as_double(a.ffn) * (a.gated_ffn ? 3.0 : 2.0) / degrees.tensor;
  if (a.moe) {
    const double routed = as_double(a.moe->experts_per_token);
    const double expert = 3.0 * as_double(a.moe->expert_ffn) * degrees.tensor / degrees.experts;
    widest = std::max(widest, routed * (expert / degrees.tensor + hidden));
  }
  double attention = 0.0;
  if (a.latent) {
    const double width = as_double(a.latent->qk_nope_head_dim + a.latent->qk_rope_head_dim);
    attention = as_double(a.heads) * (2.0 * width + 2.0 * as_double(a.latent->v_head_dim));
  } else {
    const double kv_ways = std::min(degrees.tensor, std::max(1.0, as_double(a.kv_heads)));
    attention = 2.0 * as_double(a.heads) * as_double(a.head_dim) +
                2.0 * as_double(a.kv_heads) * as_double(a.head_dim) * degrees.tensor / kv_ways;
  }
  widest = std::max(widest, attention / degrees.tensor);
  const double layer = tokens * element * (2.0 * hidden + widest);
  if (!last_stage) return layer;
  const double rows = std::min(as_double(std::max<std::int64_t>(0, r.max_sequences)), tokens);
  const double logits = rows * as_double(a.head_rows) * kSamplingBytesPerLogit;
  return std::max(layer, logits + tokens * element * hidden);
}

// Cosines and sines of all positions, 16 bits each; every rank has them.
double rotary_table_bytes(const ServingMemoryRequest& r) {
  const Architecture& a = *r.architecture;
  if (a.position != PositionKind::kRotary) return 0.0;
  const double width = as_double(a.latent ? a.latent->qk_rope_head_dim : a.head_dim);
  return as_double(a.max_positions) * width * activation_element(r);
}

double kv_bytes_per_block(const ServingMemoryRequest& r, const Degrees& degrees,
                          std::int64_t layers) {
  const Architecture& a = *r.architecture;
  if (a.layers <= 0) return 0.0;
  const double whole = kv_bytes_per_token(a, r.kv_dtype) * as_double(r.block_tokens);
  // The latent of latent attention is copied on every tensor rank.
  const double ways =
      a.latent ? 1.0 : std::min(degrees.tensor, std::max(1.0, as_double(a.kv_heads)));
  return whole * as_double(layers) / as_double(a.layers) / ways;
}

ServingMemory memory_of_stage(const ServingMemoryRequest& r, const Degrees& degrees,
                              std::int64_t stage) {
  ServingMemory memory;
  memory.device_bytes = r.device->reported_memory_bytes > 0.0 ? r.device->reported_memory_bytes
                                                              : r.device->memory_bytes;
  memory.budget_bytes = r.utilization * memory.device_bytes;
  memory.weight_bytes =
      parameters_on_rank(*r.architecture, degrees, stage) * bytes_per_element(r.weights_dtype) +
      rotary_table_bytes(r);
  memory.activation_bytes = activation_peak(r, degrees, stage == degrees.stages - 1);
  const bool alone = degrees.experts <= 1.0 && degrees.stages == 1;
  memory.context_bytes = kContextBytes + (alone ? 0.0 : kCollectiveBytes);
  memory.kv_bytes =
      memory.budget_bytes - memory.weight_bytes - memory.activation_bytes - memory.context_bytes;
  const StageLayers range = layers_of_stage(r.architecture->layers, degrees.stages, stage);
  memory.kv_bytes_per_block = kv_bytes_per_block(r, degrees, range.end - range.first);
  if (memory.kv_bytes > 0.0 && memory.kv_bytes_per_block > 0.0) {
    constexpr double kMostBlocks = 1e15;
    memory.kv_blocks = static_cast<std::int64_t>(
        std::min(kMostBlocks, std::floor(memory.kv_bytes / memory.kv_bytes_per_block)));
  }
  return memory;
}

}  // namespace

ServingMemory serving_memory(const ServingMemoryRequest& request) {
  const Degrees degrees = degrees_of(request);
  ServingMemory fullest = memory_of_stage(request, degrees, 0);
  for (std::int64_t stage = 1; stage < degrees.stages; ++stage) {
    const ServingMemory memory = memory_of_stage(request, degrees, stage);
    const bool fewer = memory.kv_blocks < fullest.kv_blocks;
    const bool tighter =
        memory.kv_blocks == fullest.kv_blocks && memory.kv_bytes < fullest.kv_bytes;
    if (fewer || tighter) fullest = memory;
  }
  return fullest;
}

int least_tensor_parallel(ServingMemoryRequest request, std::int64_t context_tokens,
                          int max_degree) {
  for (std::int64_t degree = 1; degree <= max_degree; degree *= 2) {
    if (request.architecture->heads % degree != 0) continue;
    request.layout.tensor = static_cast<int>(degree);
    const double held =
        as_double(serving_memory(request).kv_blocks) * as_double(request.block_tokens);
    if (held >= as_double(context_tokens)) return static_cast<int>(degree);
  }
  return 0;
}

}  // namespace orrery::models
