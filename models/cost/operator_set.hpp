#pragma once
// The operators of each kind of layer of a model, looked up in a device's profile once: curves and
// grids for the shapes at hand, with the table they come from. What the profile lacks stays empty
// and is priced by roofline; a note says so.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cost/cost_sources.hpp"
#include "models/cost/interpolation.hpp"
#include "models/cost/operator_tables.hpp"
#include "models/cost/profile.hpp"
#include "models/cost/roofline.hpp"

namespace orrery::models {

/// Prices with the table they come from; a curve that is empty stands for roofline.
struct Source {
  std::string name = "roofline";
  double spread = Roofline::kSpread;
};

struct Product {
  std::int64_t n = 0;
  std::int64_t k = 0;
  LogCurve curve;
  Source source;
};

struct LayerKind {
  bool experts = false;
  std::int64_t window = 0;
  std::vector<Product> products;
  LogCurve expert_curve;
  Source expert_source;
  LogGrid decode;
  Source decode_source;
  LogCurve prefill;
  Source prefill_source;
};

/// Everything that an iteration is made of.
struct OperatorSet {
  std::vector<LayerKind> kinds;
  std::vector<std::size_t> kind_of_layer;
  Product head;
  std::vector<LogCurve> all_reduce;  ///< The fastest counts; empty: roofline.
  Source all_reduce_source;
  std::vector<std::string> notes;
};

/// `profile` may be null: everything by roofline. Faults are of damaged profiles.
Result<OperatorSet> look_up_operators(const CostRequest& request, const Profile* profile,
                                      const Roofline& roofline);

/// Query and KV heads of one tensor rank.
AttentionShape rank_attention_shape(const CostRequest& request, std::int64_t window);

}  // namespace orrery::models
