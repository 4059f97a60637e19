#pragma once
// How far prefix K/V drift from what the whole request would give, and what reusing them costs in
// accuracy. An assumed model, calibrated on one similarity level only; every figure that comes from
// here is printed as assumed.

#include <cstdint>
#include <vector>

#include "models/diffusion/depth_table.hpp"

namespace orrery::models {

/// D(l, r) = 1 - exp(-h(l) (1 - r)) for layers l = 1.. and prefix share r in 0..1.
class DriftCurve {
 public:
  /// From a table measured at similarity 0.97: h(1) = 0, h(l) = -ln 0.97 / (1.005 - r_l) with r_l
  /// the first ratio that reuses layer l. Thresholding the result at 0.03 returns the table.
  static DriftCurve from_table(const DepthTable& table);
  /// Assumed form for models without a table: h = 0.034 + 1.9e-4 (e^(13.3 x) - 1), x = (l-1)/(L-1),
  /// at most 2.03; up to 37 % off where a table exists.
  static DriftCurve parametric(std::int64_t layers);

  std::int64_t layers() const { return static_cast<std::int64_t>(slope_.size()); }
  /// h of layer `layer`, counted from 1.
  double slope(std::int64_t layer) const { return slope_[static_cast<std::size_t>(layer - 1)]; }
  double drift(std::int64_t layer, double ratio) const;
  /// Leading layers whose drift is at most `threshold` at this ratio.
  std::int64_t depth(double ratio, double threshold) const;

 private:
  std::vector<double> slope_;
};

/// Relative accuracy loss of reusing `depth` layers at share `ratio`, in 0..1 (assumed):
/// 1 - exp(-(x / 0.085)^1.45) with exposure x = r/L sum of D over the reused layers.
double accuracy_exposure(const DriftCurve& curve, std::int64_t depth, double ratio);
double relative_accuracy_loss(double exposure);

}  // namespace orrery::models
