#pragma once
// Sums of prices whose errors are independent, and what an iteration costs in FLOPs and bytes;
// shared by the sources of prices.

#include <cstdint>

#include "models/architecture/architecture.hpp"
#include "models/cost/iteration_cost.hpp"

namespace orrery::models {

/// A sum of prices. Errors of different tables are taken as independent, errors within one table as
/// equal (a residual of a table is mostly a bias of the shapes at hand).
struct CostSum {
  double seconds = 0.0;
  double variance = 0.0;

  /// Adds `repeats` times a price of one table.
  void add(double price, double spread, double repeats = 1.0) {
    seconds += price * repeats;
    const double deviation = price * spread * repeats;
    variance += deviation * deviation;
  }
  void add(const CostSum& other, double repeats = 1.0) {
    seconds += other.seconds * repeats;
    variance += other.variance * repeats * repeats;
  }
  Price price() const;
};

/// FLOPs and bytes of a batch over all ranks.
class WorkCount {
 public:
  WorkCount(const Architecture& architecture, DataType weights, DataType kv);
  double flops(const BatchShape& batch) const;
  double memory_bytes(const BatchShape& batch) const;

 private:
  double attended(double tokens, double context) const;

  double flops_per_token_ = 0.0;
  double flops_per_pair_full_ = 0.0;    // summed over layers with full attention
  double flops_per_pair_window_ = 0.0;  // summed over layers with a window
  double window_ = 0.0;
  bool bidirectional_ = false;
  double flops_per_logit_row_ = 0.0;
  double dense_weight_bytes_ = 0.0;
  double expert_weight_bytes_ = 0.0;  // of all routed experts of all layers
  double expert_share_ = 0.0;         // routed experts a token uses
  double kv_bytes_per_token_ = 0.0;
};

/// Tokens that the batch computes.
std::int64_t batch_tokens(const BatchShape& batch);

}  // namespace orrery::models
