#pragma once
// Builds the price of iterations from an ordered list of sources: the first that knows an operator
// prices it (measured profile), else roofline. See docs/cost-model.md.

#include <memory>
#include <string>
#include <vector>

#include "models/cost/iteration_cost.hpp"
#include "models/devices/device.hpp"

namespace orrery::models {

/// What a replica's price depends on.
struct CostRequest {
  Architecture architecture;
  const Device* device = nullptr;
  ParallelLayout layout;
  DataType weights_dtype = DataType::kBf16;
  DataType kv_dtype = DataType::kBf16;
  /// Name of a shipped profile, path of a profile file, "auto" (the shipped profile of the device
  /// if there is one) or "roofline".
  std::string profile = "auto";
  std::int64_t max_batched_tokens = 8192;  ///< Largest batch that will be asked for (table sizes).
  std::int64_t max_sequences = 1024;
};

/// The faults name what is missing; operators that a profile lacks are no fault but a note.
Result<std::unique_ptr<IterationCost>> make_iteration_cost(const CostRequest& request);

/// A shipped profile, for `describe` and for messages.
struct ProfileInfo {
  std::string name;                 ///< e.g. "h100-sxm/vllm-0.24.0".
  std::string device;               ///< Catalogue name of the device it was measured on.
  std::string engine;               ///< Software whose kernels were measured, with version.
  std::string source;               ///< Repository, commit, licence.
  std::string model;                ///< For whole-model layer tables: the model; else empty.
  std::vector<int> tensor_degrees;  ///< For whole-model tables: degrees measured; else empty.
  std::size_t points = 0;           ///< Measured points in it.
};
/// Shipped profiles, in a fixed order.
std::vector<ProfileInfo> shipped_profiles();

}  // namespace orrery::models
