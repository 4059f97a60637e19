#include "models/cost/operator_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/data_type.hpp"

namespace orrery::models {
namespace {

class Lookup {
 public:
  Lookup(const CostRequest& request, const Profile* profile, const Roofline& roofline)
      : a_(request.architecture), request_(request), roofline_(roofline), profile_(profile) {}

  Result<OperatorSet> run() {
    if (profile_ == nullptr) {
      note(
          fmt::format("Prices come from roofline and datasheet figures (spread {:.0f} %), not from "
                      "measurements.",
                      100 * Roofline::kSpread));
    } else {
      const ProfileHeader header = profile_->header();
      note(fmt::format("Prices come from profile {}: {}; {}.", header.name, header.engine,
                       header.source));
    }
    build_kinds();
    build_head();
    build_collectives();
    if (!faults_.empty()) return std::move(faults_);
    return std::move(set_);
  }

 private:
  // A table of the profile, or none with a note why roofline takes its place.
  std::optional<ProfileTable> table(std::string_view operation, const std::string& variant) {
    if (profile_ == nullptr) return std::nullopt;
    if (!profile_->has(operation, variant)) {
      note(fmt::format("Profile {} has no {} in {}: roofline is used (spread {:.0f} %).",
                       profile_->header().name, operation, variant, 100 * Roofline::kSpread));
      return std::nullopt;
    }
    Result<ProfileTable> loaded = profile_->table(operation, variant);
    if (loaded) return *std::move(loaded);
    for (const Diagnostic& fault : loaded.faults()) faults_.push_back(fault);
    return std::nullopt;
  }

  void note(std::string text) {
    if (std::find(set_.notes.begin(), set_.notes.end(), text) == set_.notes.end()) {
      set_.notes.push_back(std::move(text));
    }
  }

  Source measured(const ProfileTable& table, bool exact) const {
    // A shape that was not measured itself is carried over from others: wider.
    constexpr double kCarriedOver = 0.08;  // assumed
    return {profile_->header().name, exact ? table.spread : std::max(table.spread, kCarriedOver)};
  }

  Product product(const std::optional<ProfileTable>& gemm, std::int64_t n, std::int64_t k) const {
    Product made{std::max<std::int64_t>(n, 1), std::max<std::int64_t>(k, 1), {}, {}};
    if (gemm) {
      made.curve = gemm_curve(*gemm, roofline_, request_.weights_dtype, made.n, made.k);
      if (!made.curve.empty()) made.source = measured(*gemm, true);
    }
    return made;
  }

  std::vector<Product> layer_products(const std::optional<ProfileTable>& gemm, bool experts) const {
    const std::int64_t t = request_.layout.tensor;
    std::vector<Product> products;
    if (a_.latent) {
      const LatentAttention& l = *a_.latent;
      const std::int64_t query = a_.heads * (l.qk_nope_head_dim + l.qk_rope_head_dim);
      if (l.q_lora_rank > 0) products.push_back(product(gemm, l.q_lora_rank, a_.hidden));
      products.push_back(product(gemm, query / t, l.q_lora_rank > 0 ? l.q_lora_rank : a_.hidden));
      products.push_back(product(gemm, l.kv_lora_rank + l.qk_rope_head_dim, a_.hidden));
      products.push_back(
          product(gemm, a_.heads * (l.qk_nope_head_dim + l.v_head_dim) / t, l.kv_lora_rank));
      products.push_back(product(gemm, a_.hidden, a_.heads * l.v_head_dim / t));
    } else {
      const std::int64_t kv = std::max<std::int64_t>(a_.kv_heads / t, 1) * a_.head_dim;
      products.push_back(product(gemm, a_.heads * a_.head_dim / t + 2 * kv, a_.hidden));
      products.push_back(product(gemm, a_.hidden, a_.heads * a_.head_dim / t));
    }
    if (experts) {
      products.push_back(product(gemm, a_.moe->experts, a_.hidden));  // router
      if (a_.moe->shared_ffn > 0) add_ffn(products, gemm, a_.moe->shared_ffn / t);
    } else {
      add_ffn(products, gemm, a_.ffn / t);
    }
    return products;
  }

  void add_ffn(std::vector<Product>& products, const std::optional<ProfileTable>& gemm,
               std::int64_t ffn) const {
    products.push_back(product(gemm, (a_.gated_ffn ? 2 : 1) * ffn, a_.hidden));
    products.push_back(product(gemm, a_.hidden, ffn));
  }

  void build_kinds() {
    const std::string weights(data_type_name(
        request_.weights_dtype == DataType::kFp16 ? DataType::kBf16 : request_.weights_dtype));
    const DataType kv = request_.kv_dtype == DataType::kFp16 ? DataType::kBf16 : request_.kv_dtype;
    const std::string attention = fmt::format("bf16/{}", data_type_name(kv));
    gemm_ = table("gemm", weights);
    const std::optional<ProfileTable> decode =
        a_.latent ? table("latent_decode", attention) : table("attention_decode", attention);
    const std::optional<ProfileTable> prefill =
        a_.latent ? table("latent_prefill", attention) : table("attention_prefill", attention);
    const std::optional<ProfileTable> experts =
        a_.moe ? table("experts", weights) : std::optional<ProfileTable>{};
    for (std::int64_t layer = 0; layer < a_.layers; ++layer) {
      const bool has_experts = is_moe_layer(a_, layer);
      const std::int64_t window = attention_window(a_, layer);
      const auto known =
          std::find_if(set_.kinds.begin(), set_.kinds.end(), [&](const LayerKind& kind) {
            return kind.experts == has_experts && kind.window == window;
          });
      set_.kind_of_layer.push_back(static_cast<std::size_t>(known - set_.kinds.begin()));
      if (known != set_.kinds.end()) continue;
      LayerKind kind;
      kind.experts = has_experts;
      kind.window = window;
      kind.products = layer_products(gemm_, has_experts);
      if (has_experts) build_experts(kind, experts);
      build_attention(kind, decode, prefill);
      set_.kinds.push_back(std::move(kind));
    }
  }

  void build_experts(LayerKind& kind, const std::optional<ProfileTable>& experts) {
    if (!experts) return;
    kind.expert_curve =
        models::expert_curve(*experts, {a_.hidden, a_.moe->expert_ffn, a_.moe->experts,
                                        a_.moe->experts_per_token, request_.layout.tensor});
    if (kind.expert_curve.empty()) {
      note(fmt::format("Profile {} has no experts of this shape: roofline is used.",
                       profile_->header().name));
    } else {
      kind.expert_source = measured(*experts, true);
    }
  }

  void build_attention(LayerKind& kind, const std::optional<ProfileTable>& decode,
                       const std::optional<ProfileTable>& prefill) {
    AttentionShape wanted = rank_attention_shape(request_, kind.window);
    if (a_.latent)
      wanted = {wanted.heads, 1, a_.latent->kv_lora_rank + a_.latent->qk_rope_head_dim, 0};
    if (decode) {
      const MeasuredShape shape = nearest_decode_shape(*decode, wanted);
      kind.decode = decode_grid(*decode, shape);
      kind.decode_source = measured(*decode, shape.exact);
      if (!shape.exact) note_carried("decode", wanted, shape.shape);
    }
    if (prefill) {
      const MeasuredShape shape = nearest_prefill_shape(*prefill, wanted);
      kind.prefill = prefill_curve(*prefill, shape);
      kind.prefill_source = measured(*prefill, shape.exact);
      if (!shape.exact) note_carried("prefill", wanted, shape.shape);
    }
  }

  void note_carried(const char* phase, const AttentionShape& wanted, const AttentionShape& used) {
    note(fmt::format(
        "Profile {}: {} attention of {} query and {} KV heads of {} is carried over from "
        "{}, {} and {}.",
        profile_->header().name, phase, wanted.heads, wanted.kv_heads, wanted.head_dim, used.heads,
        used.kv_heads, used.head_dim));
  }

  void build_head() {
    set_.head = product(gemm_, a_.head_rows / request_.layout.tensor, a_.hidden);
  }

  void build_collectives() {
    const int t = request_.layout.tensor;
    if (t == 1 || profile_ == nullptr) {
      if (t > 1) note("All-reduce of tensor ranks: datasheet bandwidth (assumed efficiency).");
      return;
    }
    for (const char* variant : {"custom", "nccl"}) {
      if (!profile_->has("all_reduce", variant)) continue;
      const std::optional<ProfileTable> loaded = table("all_reduce", variant);
      if (!loaded) continue;
      LogCurve curve = collective_curve(*loaded, t);
      if (curve.empty()) continue;
      set_.all_reduce.push_back(std::move(curve));
      set_.all_reduce_source = measured(*loaded, true);
    }
    if (set_.all_reduce.empty()) {
      note(fmt::format("Profile {} has no all-reduce of {} ranks: datasheet bandwidth is used.",
                       profile_->header().name, t));
    }
  }

  const Architecture& a_;
  const CostRequest& request_;
  const Roofline& roofline_;
  const Profile* profile_;
  std::optional<ProfileTable> gemm_;
  OperatorSet set_;
  Diagnostics faults_;
};

}  // namespace

AttentionShape rank_attention_shape(const CostRequest& request, std::int64_t window) {
  const Architecture& a = request.architecture;
  const std::int64_t t = request.layout.tensor;
  return {std::max<std::int64_t>(a.heads / t, 1), std::max<std::int64_t>(a.kv_heads / t, 1),
          a.head_dim, window};
}

Result<OperatorSet> look_up_operators(const CostRequest& request, const Profile* profile,
                                      const Roofline& roofline) {
  return Lookup(request, profile, roofline).run();
}

}  // namespace orrery::models
