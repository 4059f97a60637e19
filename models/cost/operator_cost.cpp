// How an iteration adds up from operators, per stage:
//   every layer: QKV, output, feed-forward products (or experts), attention, small memory-bound
//   kernels, two all-reduces with tensor parallelism; the last stage: LM head and sampler.
// Everything that depends on the number of tokens alone is summed once per count and kept.

#include "models/cost/operator_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/cost/cost_parts.hpp"
#include "models/cost/operator_set.hpp"
#include "models/cost/roofline.hpp"

namespace orrery::models {
namespace {

enum Group : std::size_t {
  kGemm,
  kExperts,
  kSmall,
  kCollective,
  kPrefill,
  kDecode,
  kHead,
  kGroups
};
constexpr std::array<const char*, kGroups> kGroupNames{"gemm",
                                                       "experts",
                                                       "norm, rotary, activation",
                                                       "all-reduce",
                                                       "attention prefill",
                                                       "attention decode",
                                                       "LM head and sampler"};

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
  explicit OperatorCost(const CostRequest& request)
      : a_(request.architecture),
        request_(request),
        roofline_(*request.device),
        work_(request.architecture, request.weights_dtype, request.kv_dtype) {}

  Diagnostics prepare(const Profile* profile) {
    Result<OperatorSet> set = look_up_operators(request_, profile, roofline_);
    if (!set) return std::move(set).faults();
    set_ = *std::move(set);
    build_stages();
    const auto rows_up_to = [](std::int64_t most) {
      return static_cast<std::size_t>(std::clamp<std::int64_t>(most, 1, kLargestTable)) + 1;
    };
    dense_.assign(stages_.size(), std::vector<CostSum>(rows_up_to(request_.max_batched_tokens)));
    head_.assign(rows_up_to(request_.max_sequences), {});
    return {};
  }

  Price stage(const BatchShape& batch, int stage) override {
    const auto index = static_cast<std::size_t>(stage);
    CostSum sum = dense(batch_tokens(batch), index);
    for (std::size_t kind = 0; kind < set_.kinds.size(); ++kind) {
      const double layers = stages_[index].layers[kind];
      if (layers == 0.0) continue;
      if (batch.decode_sequences > 0) {
        sum.add(decode_seconds(set_.kinds[kind], batch), set_.kinds[kind].decode_source.spread,
                layers);
      }
      if (!batch.prefills.empty()) {
        sum.add(prefill_seconds(set_.kinds[kind], batch), set_.kinds[kind].prefill_source.spread,
                layers);
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
  const std::vector<std::string>& notes() const override { return set_.notes; }

  PriceBreakdown breakdown(const BatchShape& batch) override {
    Groups groups;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      const Groups own = dense_groups(batch_tokens(batch), stage);
      for (std::size_t g = 0; g < kGroups; ++g) groups.sums[g].add(own.sums[g]);
      for (std::size_t kind = 0; kind < set_.kinds.size(); ++kind) {
        const LayerKind& layer = set_.kinds[kind];
        const double layers = stages_[stage].layers[kind];
        if (batch.decode_sequences > 0) {
          groups.sums[kDecode].add(decode_seconds(layer, batch), layer.decode_source.spread,
                                   layers);
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
  static constexpr std::int64_t kLargestTable = std::int64_t{1} << 20;
  static constexpr double kActivationBytes = 2.0;  // bf16

  void build_stages() {
    const std::int64_t p = request_.layout.pipeline;
    std::size_t layer = 0;
    for (std::int64_t s = 0; s < p; ++s) {
      // The first stages take the layers that do not divide.
      const std::int64_t own = a_.layers / p + (s < a_.layers % p ? 1 : 0);
      Stage stage;
      stage.layers.assign(set_.kinds.size(), 0.0);
      for (std::int64_t i = 0; i < own; ++i) stage.layers[set_.kind_of_layer[layer++]] += 1.0;
      stage.last = s + 1 == p;
      stages_.push_back(std::move(stage));
    }
  }

  double all_reduce_seconds(double bytes) const {
    if (set_.all_reduce.empty()) return roofline_.all_reduce(bytes, request_.layout.tensor);
    double best = set_.all_reduce.front().at(bytes);
    for (const LogCurve& curve : set_.all_reduce) best = std::min(best, curve.at(bytes));
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
    const double share =
        static_cast<double>(moe.experts_per_token) / static_cast<double>(moe.experts);
    const double touched = static_cast<double>(moe.experts) *
                           (1.0 - std::pow(1.0 - share, static_cast<double>(tokens)));
    const double weights =
        3.0 * static_cast<double>(a_.hidden * moe.expert_ffn) / request_.layout.tensor;
    const auto routed = static_cast<double>(tokens * moe.experts_per_token);
    return roofline_.attention(2.0 * weights * routed,
                               touched * weights * bytes_per_element(request_.weights_dtype));
  }

  // Small kernels of a layer: two (or four) norms with residual, rotary or position, activation,
  // write of K and V.
  double small_seconds(std::int64_t tokens) const {
    const auto n = static_cast<double>(tokens);
    const double t = request_.layout.tensor;
    const auto hidden = static_cast<double>(a_.hidden);
    const double norm = roofline_.elementwise(4.0 * n * hidden * kActivationBytes);
    const double rotary = roofline_.elementwise(
        2.0 * n * static_cast<double>((a_.heads + a_.kv_heads) * a_.head_dim) / t *
        kActivationBytes);
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
    for (std::size_t k = 0; k < set_.kinds.size(); ++k) {
      const LayerKind& kind = set_.kinds[k];
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
    return set_.all_reduce.empty() ? Roofline::kSpread : set_.all_reduce_source.spread;
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
      known.add(product_seconds(set_.head, rows), set_.head.source.spread);
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
    const AttentionShape shape = rank_attention_shape(request_, kind.window);
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

  // A chunk of n tokens after c cached ones attends to n c + n (n + 1) / 2 pairs, at the efficiency
  // of a whole prefill of c + n tokens.
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
    const AttentionShape shape = rank_attention_shape(request_, kind.window);
    const double bytes = 2.0 * (c + 2.0 * n) *
                         static_cast<double>(shape.kv_heads * shape.head_dim) *
                         bytes_per_element(request_.kv_dtype);
    return roofline_.attention(4.0 * static_cast<double>(shape.heads * shape.head_dim) * pairs,
                               bytes);
  }

  std::string source_of(std::size_t group) const {
    const LayerKind& kind = set_.kinds.front();
    switch (group) {
      case kGemm:
        return kind.products.front().source.name;
      case kExperts:
        return set_.kinds.back().expert_source.name;
      case kCollective:
        return set_.all_reduce.empty() ? "roofline" : set_.all_reduce_source.name;
      case kPrefill:
        return kind.prefill_source.name;
      case kDecode:
        return kind.decode_source.name;
      case kHead:
        return set_.head.source.name;
      default:
        return "roofline";
    }
  }

  Architecture a_;
  CostRequest request_;
  Roofline roofline_;
  WorkCount work_;
  OperatorSet set_;
  std::vector<Stage> stages_;
  std::vector<std::vector<CostSum>> dense_;  // by stage and tokens
  std::vector<CostSum> head_;                // by rows
  CostSum overflow_;
  CostSum overflow_head_;
};

}  // namespace

Result<std::unique_ptr<IterationCost>> make_operator_cost(const CostRequest& request,
                                                          const Profile* profile) {
  auto cost = std::make_unique<OperatorCost>(request);
  Diagnostics faults = cost->prepare(profile);
  if (!faults.empty()) return faults;
  return std::unique_ptr<IterationCost>(std::move(cost));
}

}  // namespace orrery::models
