#include "models/diffusion/drift.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::models {
namespace {

constexpr double kMeasuredSimilarity = 0.97;
constexpr double kHalfBin = 0.005;        // Ratios of tables are whole percent.
constexpr double kLargestSlope = 2.03;    // assumed: where the tables end
constexpr double kExposureScale = 0.085;  // assumed
constexpr double kExposurePower = 1.45;   // assumed

}  // namespace

DriftCurve DriftCurve::from_table(const DepthTable& table) {
  DriftCurve curve;
  for (std::int64_t layer = 1; layer <= table.layers(); ++layer) {
    const std::int64_t first = table.first_ratio(layer);
    // K and V of layer 1 depend on token and position alone. A layer that no ratio reuses drifts as
    // if it took the whole range.
    const double ratio = first < 0 ? 1.0 : static_cast<double>(first) / 100.0;
    curve.slope_.push_back(layer == 1 ? 0.0
                                      : -std::log(kMeasuredSimilarity) / (1.0 + kHalfBin - ratio));
  }
  return curve;
}

DriftCurve DriftCurve::parametric(std::int64_t layers) {
  DriftCurve curve;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    const double x =
        layers > 1 ? static_cast<double>(layer - 1) / static_cast<double>(layers - 1) : 0.0;
    const double slope = 0.034 + 1.9e-4 * (std::exp(13.3 * x) - 1.0);
    curve.slope_.push_back(std::min(slope, kLargestSlope));
  }
  return curve;
}

double DriftCurve::drift(std::int64_t layer, double ratio) const {
  return 1.0 - std::exp(-slope(layer) * (1.0 - std::clamp(ratio, 0.0, 1.0)));
}

std::int64_t DriftCurve::depth(double ratio, double threshold) const {
  std::int64_t depth = 0;
  while (depth < layers() && drift(depth + 1, ratio) <= threshold) ++depth;
  return depth;
}

double accuracy_exposure(const DriftCurve& curve, std::int64_t depth, double ratio) {
  if (curve.layers() == 0) return 0.0;
  double sum = 0.0;
  for (std::int64_t layer = 1; layer <= std::min(depth, curve.layers()); ++layer) {
    sum += curve.drift(layer, ratio);
  }
  return std::clamp(ratio, 0.0, 1.0) / static_cast<double>(curve.layers()) * sum;
}

double relative_accuracy_loss(double exposure) {
  if (!(exposure > 0.0)) return 0.0;
  return 1.0 - std::exp(-std::pow(exposure / kExposureScale, kExposurePower));
}

}  // namespace orrery::models
