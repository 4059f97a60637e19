#include "models/diffusion/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/csv.hpp"

namespace orrery::models {
namespace {

using testing::number;
using testing::whole;

const DepthTable& table_of(const std::string& model) {
  return *published_depth_table(model == "LLaDA-8B" ? "llada-8b" : "dream-7b");
}

TEST(DriftCurve, SlopesEqualTheReference) {
  for (const testing::Row& row : testing::read_csv("dlm/drift_from_tables.csv")) {
    const DepthTable& table = table_of(row.at("model"));
    const std::int64_t layer = whole(row, "layer");
    EXPECT_NEAR(DriftCurve::from_table(table).slope(layer), number(row, "h_from_table"), 5e-7);
    const double parametric = number(row, "h_parametric_assumed");
    EXPECT_NEAR(DriftCurve::parametric(table.layers()).slope(layer), std::min(parametric, 2.03),
                5e-7);
  }
}

TEST(DriftCurve, ThresholdedAtTheMeasuredLevelGivesTheTableBack) {
  for (const char* model : {"llada-8b", "dream-7b"}) {
    const DepthTable& table = *published_depth_table(model);
    const DriftCurve curve = DriftCurve::from_table(table);
    for (std::int64_t ratio = 0; ratio <= 100; ++ratio) {
      EXPECT_EQ(curve.depth(static_cast<double>(ratio) / 100.0, 0.03), table.depth(ratio))
          << model << " at " << ratio;
    }
  }
}

TEST(AccuracyLoss, EqualsTheReferenceAndSeparatesBicacheFromReusingAllLayers) {
  for (const testing::Row& row : testing::read_csv("dlm/accuracy_vectors.csv")) {
    const double total = number(row, "prefix") + number(row, "user") + number(row, "gen");
    const DriftCurve curve = DriftCurve::from_table(table_of(row.at("model")));
    const double exposure =
        accuracy_exposure(curve, whole(row, "depth"), number(row, "prefix") / total);
    EXPECT_NEAR(exposure, number(row, "exposure"), 6e-7);
    EXPECT_NEAR(100.0 * relative_accuracy_loss(exposure),
                number(row, "relative_accuracy_loss_percent_assumed"), 6e-4);
  }
}

TEST(AccuracyLoss, IsZeroForOneLayerAndNeverFallsWithDepth) {
  const DriftCurve curve = DriftCurve::from_table(*published_depth_table("llada-8b"));
  EXPECT_EQ(relative_accuracy_loss(accuracy_exposure(curve, 1, 0.7)), 0.0);
  double before = 0.0;
  for (std::int64_t depth = 0; depth <= 40; ++depth) {
    const double loss = relative_accuracy_loss(accuracy_exposure(curve, depth, 0.7));
    EXPECT_GE(loss, before);
    before = loss;
  }
}

}  // namespace
}  // namespace orrery::models
