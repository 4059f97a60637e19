// How an iteration adds up from operators, per stage:
//   every layer: QKV, output, feed-forward products (or experts), attention, small memory-bound
//   kernels, two all-reduces with tensor parallelism; the last stage: LM head and sampler.
// Everything that depends on the number of tokens alone is summed once per count and kept.

#include "models/cost/operator_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "models/cost/cost_parts.hpp"
#include "models/cost/operator_tables.hpp"
#include "models/cost/roofline.hpp"
#include "models/data_type.hpp"

namespace orrery::models {
namespace {

enum Group : std::size_t { kGemm, kExperts, kSmall, kCollective, kPrefill, kDecode, kHead, kGroups };
constexpr std::array<const char*, kGroups> kGroupNames{
    "gemm",    "experts",           "norm, rotary, activation", "all-reduce",
    "attention prefill", "attention decode", "LM head and sampler"};

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

/// How often each kind of layer occurs in a stage.
struct Stage {
  std::vector<double> layers;  // by kind
  bool last = false;
};

struct Groups {
  std::array<CostSum, kGroups> sums;
  CostSum total() const {
    CostSum all;
    for (const CostSum& sum : sums) all.add(sum);
    return all;
  }
};

class OperatorCost final : public IterationCost {
 public:
  OperatorCost(const CostRequest& request, const Profile* profile)
      : a_(request.architecture),
        request_(request),
        roofline_(*request.device),
        work_(request.architecture, request.weights_dtype, request.kv_dtype),
        profile_(profile) {}

  Diagnostics prepare() {
    build_kinds();
    build_stages();
    build_head();
    build_collectives();
    const auto tokens = static_cast<std::size_t>(std::clamp<std::int64_t>(
        request_.max_batched_tokens, 1, std::int64_t{1} << 20));
    dense_.assign(stages_.size(), std::vector<CostSum>(tokens + 1));
    head_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(request_.max_sequences, 1,
                                                                   std::int64_t{1} << 20)) + 1, {});
    profile_ = nullptr;  // Needed for building only.
    return std::move(faults_);
  }

  Price stage(const BatchShape& batch, int stage) override {
    const auto index = static_cast<std::size_t>(stage);
    CostSum sum = dense(batch_tokens(batch), index);
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const double layers = stages_[index].layers[kind];
      if (layers == 0.0) continue;
      if (batch.decode_sequences > 0) {
        sum.add(decode_seconds(kinds_[kind], batch), kinds_[kind].decode_source.spread, layers);
      }
      if (!batch.prefills.empty()) {
        sum.add(prefill_seconds(kinds_[kind], batch), kinds_[kind].prefill_source.spread, layers);
      }
    }
    if (stages_[index].last) sum.add(head(batch.logit_rows));
    return sum.price();
  }

  Price hand_over(std::int64_t tokens) override {
    if (request_.layout.pipeline == 1) return {};
    const double bytes = static_cast<double>(tokens * a_.hidden) * kActivationBytes;
    return {roofline_.send(bytes), Roofline::kSpread};
  }

  double flops(const BatchShape& batch) const override { return work_.flops(batch); }
  double memory_bytes(const BatchShape& batch) const override { return work_.memory_bytes(batch); }
  const std::vector<std::string>& notes() const override { return notes_; }

  PriceBreakdown breakdown(const BatchShape& batch) override {
    Groups groups;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      const Groups own = dense_groups(batch_tokens(batch), stage);
      for (std::size_t g = 0; g < kGroups; ++g) groups.sums[g].add(own.sums[g]);
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        const LayerKind& layer = kinds_[kind];
        const double layers = stages_[stage].layers[kind];
        if (batch.decode_sequences > 0) {
          groups.sums[kDecode].add(decode_seconds(layer, batch), layer.decode_source.spread, layers);
        }
        if (!batch.prefills.empty()) {
          groups.sums[kPrefill].add(prefill_seconds(layer, batch), layer.prefill_source.spread,
                                    layers);
        }
      }
      if (stages_[stage].last) groups.sums[kHead].add(head(batch.logit_rows));
    }
    PriceBreakdown breakdown;
    for (std::size_t g = 0; g < kGroups; ++g) {
      const Price price = groups.sums[g].price();
      if (price.seconds > 0.0) {
        breakdown.items.push_back({kGroupNames[g], source_of(g), price.seconds, price.spread});
      }
    }
    return breakdown;
  }

 private:
  static constexpr double kActivationBytes = 2.0;  // bf16

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
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) {
      notes_.push_back(std::move(text));
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
      products.push_back(product(gemm, a_.heads * (l.qk_nope_head_dim + l.v_head_dim) / t,
                                 l.kv_lora_rank));
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

  AttentionShape rank_shape(std::int64_t window) const {
    const std::int64_t t = request_.layout.tensor;
    return {std::max<std::int64_t>(a_.heads / t, 1), std::max<std::int64_t>(a_.kv_heads / t, 1),
            a_.head_dim, window};
  }

  void build_kinds() {
    const std::string weights(data_type_name(request_.weights_dtype == DataType::kFp16
                                                 ? DataType::kBf16
                                                 : request_.weights_dtype));
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
      const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const LayerKind& kind) {
        return kind.experts == has_experts && kind.window == window;
      });
      kind_of_layer_.push_back(static_cast<std::size_t>(known - kinds_.begin()));
      if (known != kinds_.end()) continue;
      LayerKind kind;
      kind.experts = has_experts;
      kind.window = window;
      kind.products = layer_products(gemm_, has_experts);
      if (has_experts) build_experts(kind, experts);
      build_attention(kind, decode, prefill);
      kinds_.push_back(std::move(kind));
    }
  }

  void build_experts(LayerKind& kind, const std::optional<ProfileTable>& experts) {
    if (!experts) return;
    kind.expert_curve = models::expert_curve(
        *experts, {a_.hidden, a_.moe->expert_ffn, a_.moe->experts, a_.moe->experts_per_token,
                   request_.layout.tensor});
    if (kind.expert_curve.empty()) {
      note(fmt::format("Profile {} has no experts of this shape: roofline is used.",
                       profile_->header().name));
    } else {
      kind.expert_source = measured(*experts, true);
    }
  }

  void build_attention(LayerKind& kind, const std::optional<ProfileTable>& decode,
                       const std::optional<ProfileTable>& prefill) {
    AttentionShape wanted = rank_shape(kind.window);
    if (a_.latent) wanted = {wanted.heads, 1, a_.latent->kv_lora_rank + a_.latent->qk_rope_head_dim, 0};
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
    note(fmt::format("Profile {}: {} attention of {} query and {} KV heads of {} is carried over from "
                     "{}, {} and {}.",
                     profile_->header().name, phase, wanted.heads, wanted.kv_heads, wanted.head_dim,
                     used.heads, used.kv_heads, used.head_dim));
  }

  void build_stages() {
    const std::int64_t p = request_.layout.pipeline;
    std::size_t layer = 0;
    for (std::int64_t s = 0; s < p; ++s) {
      // The first stages take the layers that do not divide.
      const std::int64_t own = a_.layers / p + (s < a_.layers % p ? 1 : 0);
      Stage stage;
      stage.layers.assign(kinds_.size(), 0.0);
      for (std::int64_t i = 0; i < own; ++i) stage.layers[kind_of_layer_[layer++]] += 1.0;
      stage.last = s + 1 == p;
      stages_.push_back(std::move(stage));
    }
  }

  void build_head() {
    head_product_ = product(gemm_, a_.head_rows / request_.layout.tensor, a_.hidden);
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
      all_reduce_.push_back(std::move(curve));
      all_reduce_source_ = measured(*loaded, true);
    }
    if (all_reduce_.empty()) {
      note(fmt::format("Profile {} has no all-reduce of {} ranks: datasheet bandwidth is used.",
                       profile_->header().name, t));
    }
  }

  double all_reduce_seconds(double bytes) const {
    if (all_reduce_.empty()) return roofline_.all_reduce(bytes, request_.layout.tensor);
    double best = all_reduce_.front().at(bytes);
    for (const LogCurve& curve : all_reduce_) best = std::min(best, curve.at(bytes));
    return best;
  }

  double product_seconds(const Product& product, std::int64_t m) const {
    if (product.curve.empty()) {
      return roofline_.gemm(m, product.n, product.k, request_.weights_dtype);
    }
    return product.curve.at(static_cast<double>(m));
  }

  double expert_seconds(const LayerKind& kind, std::int64_t tokens) const {
    if (!kind.expert_curve.empty()) return kind.expert_curve.at(static_cast<double>(tokens));
    const MixtureOfExperts& moe = *a_.moe;
    const double share = static_cast<double>(moe.experts_per_token) / static_cast<double>(moe.experts);
    const double touched = static_cast<double>(moe.experts) *
                           (1.0 - std::pow(1.0 - share, static_cast<double>(tokens)));
    const double weights = 3.0 * static_cast<double>(a_.hidden * moe.expert_ffn) / request_.layout.tensor;
    const auto routed = static_cast<double>(tokens * moe.experts_per_token);
    return roofline_.attention(2.0 * weights * routed,
                               touched * weights * bytes_per_element(request_.weights_dtype));
  }

  // Small kernels of a layer: two (or four) norms with residual, rotary or position, activation, write
  // of K and V.
  double small_seconds(std::int64_t tokens) const {
    const auto n = static_cast<double>(tokens);
    const double t = request_.layout.tensor;
    const auto hidden = static_cast<double>(a_.hidden);
    const double norm = roofline_.elementwise(4.0 * n * hidden * kActivationBytes);
    const double rotary = roofline_.elementwise(
        2.0 * n * static_cast<double>((a_.heads + a_.kv_heads) * a_.head_dim) / t * kActivationBytes);
    const double activation =
        roofline_.elementwise(3.0 * n * static_cast<double>(a_.ffn) / t * kActivationBytes);
    const double write = roofline_.elementwise(
        4.0 * n * static_cast<double>(a_.kv_heads * a_.head_dim) / t * kActivationBytes);
    return a_.norms_per_layer * norm + rotary + activation + write;
  }

  Groups dense_groups(std::int64_t tokens, std::size_t stage) const {
    Groups groups;
    if (tokens <= 0) return groups;
    const double bytes = static_cast<double>(tokens * a_.hidden) * kActivationBytes;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const LayerKind& kind = kinds_[k];
      const double layers = stages_[stage].layers[k];
      if (layers == 0.0) continue;
      double products = 0.0;
      double deviation = 0.0;
      for (const Product& product : kind.products) {
        const double seconds = product_seconds(product, tokens);
        products += seconds;
        deviation += seconds * product.source.spread;
      }
      groups.sums[kGemm].add(products, deviation / products, layers);
      if (kind.experts) {
        groups.sums[kExperts].add(expert_seconds(kind, tokens), kind.expert_source.spread, layers);
      }
      groups.sums[kSmall].add(small_seconds(tokens), Roofline::kSpread, layers);
      if (request_.layout.tensor > 1) {
        groups.sums[kCollective].add(2.0 * all_reduce_seconds(bytes), collective_spread(), layers);
      }
    }
    return groups;
  }

  double collective_spread() const {
    return all_reduce_.empty() ? Roofline::kSpread : all_reduce_source_.spread;
  }

  const CostSum& dense(std::int64_t tokens, std::size_t stage) {
    std::vector<CostSum>& memo = dense_[stage];
    if (static_cast<std::size_t>(tokens) >= memo.size()) {
      overflow_ = dense_groups(tokens, stage).total();
      return overflow_;
    }
    CostSum& known = memo[static_cast<std::size_t>(tokens)];
    if (known.seconds == 0.0) known = dense_groups(tokens, stage).total();
    return known;
  }

  const CostSum& head(std::int64_t rows) {
    const auto index = static_cast<std::size_t>(std::max<std::int64_t>(rows, 0));
    CostSum& known = index < head_.size() ? head_[index] : overflow_head_;
    if (index >= head_.size()) known = {};
    if (known.seconds == 0.0 && rows > 0 && a_.head_rows > 0) {
      known.add(product_seconds(head_product_, rows), head_product_.source.spread);
      // Sampling reads and writes the logits a few times in fp32 (assumed: four passes).
      const double logits = static_cast<double>(rows) * static_cast<double>(a_.head_rows) * 4.0;
      known.add(roofline_.elementwise(4.0 * logits), Roofline::kSpread);
    }
    return known;
  }

  double decode_seconds(const LayerKind& kind, const BatchShape& batch) const {
    const auto sequences = static_cast<double>(batch.decode_sequences);
    double context = static_cast<double>(batch.decode_context_tokens) / sequences;
    if (kind.window > 0) context = std::min(context, static_cast<double>(kind.window));
    if (!kind.decode.empty()) return kind.decode.at(sequences, context);
    const AttentionShape shape = rank_shape(kind.window);
    const double tokens = sequences * context;
    const double bytes =
        a_.latent ? static_cast<double>(a_.latent->kv_lora_rank + a_.latent->qk_rope_head_dim)
                  : 2.0 * static_cast<double>(shape.kv_heads * shape.head_dim);
    return roofline_.attention(4.0 * static_cast<double>(shape.heads * shape.head_dim) * tokens,
                               tokens * bytes * bytes_per_element(request_.kv_dtype));
  }

  double prefill_seconds(const LayerKind& kind, const BatchShape& batch) const {
    double seconds = 0.0;
    double launch = 0.0;
    for (const PrefillChunk& chunk : batch.prefills) {
      const double own = chunk_seconds(kind, chunk);
      // One kernel serves all chunks: what the smallest would take alone is paid once.
      launch = launch == 0.0 ? own : std::min(launch, own);
      seconds += own;
    }
    const double fixed = kind.prefill.empty() ? 0.0 : kind.prefill.at(1.0);
    const auto others = static_cast<double>(batch.prefills.size() - 1);
    return std::max(launch, seconds - others * std::min(fixed, launch));
  }

  // A chunk of n tokens after c cached ones attends to n c + n (n + 1) / 2 pairs, at the efficiency of
  // a whole prefill of c + n tokens.
  double chunk_seconds(const LayerKind& kind, const PrefillChunk& chunk) const {
    const auto n = static_cast<double>(chunk.new_tokens);
    const auto c = static_cast<double>(chunk.context_tokens);
    const double whole = (c + n) * (c + n + 1.0) / 2.0;
    double pairs = n * c + n * (n + 1.0) / 2.0;
    if (kind.window > 0) pairs = std::min(pairs, n * static_cast<double>(kind.window));
    if (!kind.prefill.empty()) {
      const double share = pairs / whole;
      return std::max(kind.prefill.at(n, 2.0) * std::min(1.0, pairs / (n * (n + 1.0) / 2.0)),
                      kind.prefill.at(c + n, 2.0) * share);
    }
    const AttentionShape shape = rank_shape(kind.window);
    const double bytes = 2.0 * (c + 2.0 * n) * static_cast<double>(shape.kv_heads * shape.head_dim) *
                         bytes_per_element(request_.kv_dtype);
    return roofline_.attention(4.0 * static_cast<double>(shape.heads * shape.head_dim) * pairs, bytes);
  }

  std::string source_of(std::size_t group) const {
    const LayerKind& kind = kinds_.front();
    switch (group) {
      case kGemm:
        return kind.products.front().source.name;
      case kExperts:
        return kinds_.back().expert_source.name;
      case kCollective:
        return all_reduce_.empty() ? "roofline" : all_reduce_source_.name;
      case kPrefill:
        return kind.prefill_source.name;
      case kDecode:
        return kind.decode_source.name;
      case kHead:
        return head_product_.source.name;
      default:
        return "roofline";
    }
  }

  Architecture a_;
  CostRequest request_;
  Roofline roofline_;
  WorkCount work_;
  const Profile* profile_;
  std::optional<ProfileTable> gemm_;
  std::vector<LayerKind> kinds_;
  std::vector<std::size_t> kind_of_layer_;
  std::vector<Stage> stages_;
  Product head_product_;
  std::vector<LogCurve> all_reduce_;
  Source all_reduce_source_;
  std::vector<std::vector<CostSum>> dense_;  // by stage and tokens
  std::vector<CostSum> head_;                // by rows
  CostSum overflow_;
  CostSum overflow_head_;
  std::vector<std::string> notes_;
  Diagnostics faults_;
};

}  // namespace

Result<std::unique_ptr<IterationCost>> make_operator_cost(const CostRequest& request,
                                                          const Profile* profile) {
  auto cost = std::make_unique<OperatorCost>(request, profile);
  Diagnostics faults = cost->prepare();
  if (!faults.empty()) return faults;
  return std::unique_ptr<IterationCost>(std::move(cost));
}

}  // namespace orrery::models
