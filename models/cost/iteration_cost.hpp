#pragma once
// The price of one engine iteration (one forward pass over a batch), as serving schedulers ask for
// it. IterationCost is built once per replica from an architecture, a parallel layout, a device and
// an ordered list of price sources; it then answers by table look-up. Everything it prices is
// described by the batch alone, so equal batches have equal prices.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/architecture/architecture.hpp"
#include "models/result.hpp"

namespace orrery::models {

/// A duration and how sure we are of it.
struct Price {
  double seconds = 0.0;
  /// Relative standard deviation of the source's residual (0.03 = 3 %), combined over operators.
  double spread = 0.0;
};

/// One sequence that processes prompt tokens in this iteration.
struct PrefillChunk {
  std::int64_t new_tokens = 0;      ///< Prompt tokens computed now; > 0.
  std::int64_t context_tokens = 0;  ///< Tokens of the sequence already in the KV cache.
};

/// What one iteration computes. Decoding sequences add one token each.
struct BatchShape {
  std::span<const PrefillChunk> prefills;
  std::int64_t decode_sequences = 0;
  std::int64_t decode_context_tokens = 0;  ///< Sum over decoding sequences of cached + new token.
  std::int64_t decode_context_max = 0;     ///< The longest of them.
  std::int64_t logit_rows = 0;             ///< Rows through LM head and sampler.
};

/// How one replica is spread over GPUs.
struct ParallelLayout {
  int tensor = 1;
  int pipeline = 1;
  int expert = 1;
};

/// Where the time of an iteration goes, for `describe` and for explaining a result. Seconds.
struct PriceBreakdown {
  struct Item {
    std::string name;    ///< Operator group: "gemm", "attention prefill", "all-reduce", ...
    std::string source;  ///< Which source priced it: profile name or "roofline".
    double seconds = 0.0;
    double spread = 0.0;
  };
  std::vector<Item> items;
};

class IterationCost {
 public:
  virtual ~IterationCost() = default;
  /// Time that stage `stage` (0-based, < pipeline) is busy with the batch, collectives inside the
  /// stage included, host overhead excluded. Deterministic; safe to call from one thread at a time.
  virtual Price stage(const BatchShape& batch, int stage) = 0;
  /// Time to hand the activations of `tokens` tokens to the next stage; 0 without pipelining.
  virtual Price hand_over(std::int64_t tokens) = 0;
  /// FLOPs and bytes from device memory of the batch over all ranks together (for MFU and MBU).
  virtual double flops(const BatchShape& batch) const = 0;
  virtual double memory_bytes(const BatchShape& batch) const = 0;
  virtual PriceBreakdown breakdown(const BatchShape& batch) = 0;
  /// What was assumed or replaced ("no fp8 GEMM in profile x: roofline used"), known before
  /// running.
  virtual const std::vector<std::string>& notes() const = 0;
};

}  // namespace orrery::models
