#include "models/diffusion/forward.hpp"

#include <gtest/gtest.h>

#include "models/architecture/config_json.hpp"
#include "tests/support/csv.hpp"

namespace orrery::models {
namespace {

using testing::Row;
using testing::whole;

Architecture model_of(const std::string& name) {
  return load_architecture(name == "LLaDA-8B" ? "llada-8b" : "dream-7b").value();
}

Forward forward_of(const Row& row, const Architecture& model) {
  const DiffusionLengths lengths{whole(row, "prefix"), whole(row, "user"), whole(row, "gen")};
  const std::string& kind = row.at("step_kind");
  const bool artifact = row.at("head_rule") == "artifact";
  const HeadRule head = artifact ? HeadRule::kArtifact : HeadRule::kTrimmed;
  constexpr std::int64_t kBlock = 32;
  if (kind == "full") return full_forward(model, lengths);
  if (kind == "refresh") return refresh_forward(model, lengths, whole(row, "depth"), head);
  if (kind == "rest") {
    return uniform_forward(model, lengths, lengths.request(),
                           artifact ? lengths.total() : lengths.request());
  }
  if (kind == "block") {
    return uniform_forward(model, lengths, kBlock, artifact ? lengths.prefix + kBlock : kBlock);
  }
  if (kind == "block_prefix_recomputed") {
    return uniform_forward(model, lengths, lengths.prefix + kBlock, lengths.prefix + kBlock);
  }
  if (kind == "dual") return uniform_forward(model, lengths, kBlock, kBlock);
  if (kind == "suffix") {
    return uniform_forward(model, lengths, lengths.generated, lengths.generated);
  }
  return prefix_forward(model, lengths.prefix);
}

TEST(DiffusionForward, FlopsEqualTheReferenceExactly) {
  const auto rows = testing::read_csv("dlm/flop_vectors.csv");
  ASSERT_GT(rows.size(), 80U);
  for (const Row& row : rows) {
    const Architecture model = model_of(row.at("model"));
    const Forward forward = forward_of(row, model);
    EXPECT_EQ(diffusion_flops(model, forward), whole(row, "flops"))
        << row.at("model") << " " << row.at("workload") << " " << row.at("step_kind");
    EXPECT_EQ(forward.head_rows, whole(row, "n_head"));
    EXPECT_EQ(forward.spans.front().rows, whole(row, "n_first_layer"));
    EXPECT_EQ(forward.spans.back().rows, whole(row, "n_last_layer"));
  }
}

TEST(DiffusionForward, ARefreshWithoutDepthIsAFullForwardAndWithAllLayersTouchesNoPrefixRow) {
  const Architecture model = model_of("LLaDA-8B");
  const DiffusionLengths lengths{1175, 85, 256};
  EXPECT_EQ(diffusion_flops(model, refresh_forward(model, lengths, 0, HeadRule::kArtifact)),
            diffusion_flops(model, full_forward(model, lengths)));
  const Forward shallow = refresh_forward(model, lengths, model.layers, HeadRule::kTrimmed);
  ASSERT_EQ(shallow.spans.size(), 1U);
  EXPECT_EQ(shallow.rows_at_widest(), lengths.request());
}

TEST(DiffusionForward, MoreDepthNeverCostsMore) {
  const Architecture model = model_of("Dream-7B");
  const DiffusionLengths lengths{578, 200, 256};
  std::int64_t before = diffusion_flops(model, full_forward(model, lengths));
  for (std::int64_t depth = 0; depth <= model.layers; ++depth) {
    const std::int64_t flops =
        diffusion_flops(model, refresh_forward(model, lengths, depth, HeadRule::kArtifact));
    EXPECT_LE(flops, before);
    before = flops;
  }
}

}  // namespace
}  // namespace orrery::models
