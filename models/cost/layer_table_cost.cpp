#include "models/cost/layer_table_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "models/cost/cost_parts.hpp"
#include "models/cost/interpolation.hpp"
#include "models/cost/mixed_attention.hpp"
#include "models/cost/roofline.hpp"

namespace orrery::models {
namespace {

constexpr double kMicrosecond = 1e-6;
// Repeated runs of these tables agree to about 1 % (three repetitions each); interpolation adds
// little on grids this fine. Assumed until a hold-out says otherwise.
constexpr double kSpread = 0.02;

LogCurve curve_of(const ProfileTable& table, const char* key) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    points.emplace_back(static_cast<double>(table.column(key)[i]), table.values[i] * kMicrosecond);
  }
  return LogCurve(std::move(points));
}

class LayerTableCost final : public IterationCost {
 public:
  explicit LayerTableCost(const CostRequest& request)
      : request_(request),
        a_(request.architecture),
        roofline_(*request.device),
        work_(request.architecture, request.weights_dtype, request.kv_dtype) {}

  Diagnostics load(const Profile& profile) {
    const ProfileHeader header = profile.header();
    name_ = header.name;
    notes_.push_back(
        fmt::format("Prices come from profile {}: {}; {}.", name_, header.engine, header.source));
    for (const char* role :
         {"qkv_proj", "o_proj", "layernorm", "rotary_emb", "embedding", "final_layernorm"}) {
      load_role(profile, role, "tokens", true);
    }
    for (const char* role : {"gate_up_proj", "act_fn", "down_proj"}) {
      load_role(profile, role, "tokens", !a_.moe);
    }
    if (a_.qk_norm) load_role(profile, "qk_norm", "tokens", true);
    load_role(profile, "lm_head", "sequences", true);
    load_role(profile, "sampler", "sequences", true);
    if (a_.moe) load_experts(profile);
    Result<ProfileTable> attention = profile.table("mixed_attention", "bf16");
    if (attention) {
      attention_ = MixedAttention(*attention);
    } else {
      faults_.push_back(attention.faults().front());
    }
    if (profile.has("decode_skew", "bf16")) load_skew(profile);
    if (request_.layout.tensor > 1) {
      notes_.push_back(
          fmt::format("Profile {} has no collectives: all-reduce of {} ranks is taken from "
                      "the datasheet's bandwidth (assumed efficiency).",
                      name_, request_.layout.tensor));
    }
    memo_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(request_.max_batched_tokens, 1,
                                                                   std::int64_t{1} << 20)) +
                     1,
                 -1.0);
    return std::move(faults_);
  }

  Price stage(const BatchShape& batch, int /*stage*/) override {
    const double layers = static_cast<double>(a_.layers);
    const double seconds =
        dense(batch_tokens(batch)) + layers * attention(batch) + head(batch.logit_rows);
    return {seconds, kSpread};
  }

  Price hand_over(std::int64_t) override { return {}; }
  double flops(const BatchShape& batch) const override { return work_.flops(batch); }
  double memory_bytes(const BatchShape& batch) const override { return work_.memory_bytes(batch); }
  const std::vector<std::string>& notes() const override { return notes_; }

  PriceBreakdown breakdown(const BatchShape& batch) override {
    const std::int64_t tokens = batch_tokens(batch);
    PriceBreakdown out;
    const double collective = collectives(tokens);
    out.items.push_back({"layers without attention", name_, dense(tokens) - collective, kSpread});
    if (collective > 0.0) {
      out.items.push_back({"all-reduce", "roofline", collective, Roofline::kSpread});
    }
    out.items.push_back(
        {"attention", name_, static_cast<double>(a_.layers) * attention(batch), kSpread});
    out.items.push_back({"LM head and sampler", name_, head(batch.logit_rows), kSpread});
    return out;
  }

 private:
  void load_role(const Profile& profile, const char* role, const char* key, bool needed) {
    if (!needed && !profile.has(role, "bf16")) return;
    Result<ProfileTable> table = profile.table(role, "bf16");
    if (table) {
      roles_[role] = curve_of(*table, key);
    } else {
      faults_.push_back(table.faults().front());
    }
  }

  // Tokens and distinct experts touched on the rank.
  void load_experts(const Profile& profile) {
    Result<ProfileTable> table = profile.table("experts", "bf16");
    if (!table) {
      faults_.push_back(table.faults().front());
      return;
    }
    std::vector<LogGrid::Point> points;
    for (std::size_t i = 0; i < table->rows(); ++i) {
      points.push_back({static_cast<double>(table->column("tokens")[i]),
                        static_cast<double>(table->column("activated")[i]),
                        table->values[i] * kMicrosecond});
    }
    experts_ = LogGrid(points);
  }

  void load_skew(const Profile& profile) {
    Result<ProfileTable> table = profile.table("decode_skew", "bf16");
    if (!table) return;
    skew_ = LogCurve();
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < table->rows(); ++i) {
      points.emplace_back(static_cast<double>(table->column("sequences")[i]), table->values[i]);
    }
    skew_ = LogCurve(std::move(points));
  }

  double role(const char* name, std::int64_t size) const {
    const auto found = roles_.find(name);
    return found == roles_.end() ? 0.0 : found->second.at(static_cast<double>(size));
  }

  double collectives(std::int64_t tokens) const {
    const double bytes = 2.0 * static_cast<double>(tokens * a_.hidden);
    return 2.0 * static_cast<double>(a_.layers) *
           roofline_.all_reduce(bytes, request_.layout.tensor);
  }

  double feed_forward(std::int64_t tokens) const {
    if (!a_.moe) {
      return role("gate_up_proj", tokens) + role("act_fn", tokens) + role("down_proj", tokens);
    }
    const auto experts = static_cast<double>(a_.moe->experts);
    const double share = static_cast<double>(a_.moe->experts_per_token) / experts;
    // Distinct experts under uniform routing (assumed).
    const double touched = experts * (1.0 - std::pow(1.0 - share, static_cast<double>(tokens)));
    return experts_.at(static_cast<double>(tokens), touched);
  }

  double compute_dense(std::int64_t tokens) const {
    const double layer = role("qkv_proj", tokens) + role("o_proj", tokens) +
                         role("rotary_emb", tokens) + role("qk_norm", tokens) +
                         2.0 * role("layernorm", tokens) + feed_forward(tokens);
    return role("embedding", tokens) + static_cast<double>(a_.layers) * layer +
           role("final_layernorm", tokens) + collectives(tokens);
  }

  double dense(std::int64_t tokens) {
    if (tokens <= 0) return 0.0;
    if (static_cast<std::size_t>(tokens) >= memo_.size()) return compute_dense(tokens);
    double& known = memo_[static_cast<std::size_t>(tokens)];
    if (known < 0.0) known = compute_dense(tokens);
    return known;
  }

  double head(std::int64_t rows) const {
    return rows > 0 ? role("lm_head", rows) + role("sampler", rows) : 0.0;
  }

  // One layer. The profile has one chunk a batch: the largest of several is priced with the
  // decodes, the others by what they take beyond the smallest chunk.
  double attention(const BatchShape& batch) const {
    const PrefillChunk* largest = nullptr;
    for (const PrefillChunk& chunk : batch.prefills) {
      if (largest == nullptr || chunk.new_tokens > largest->new_tokens) largest = &chunk;
    }
    const auto sequences = static_cast<double>(batch.decode_sequences);
    const double chunk = largest == nullptr ? 0.0 : static_cast<double>(largest->new_tokens);
    const double cached = largest == nullptr ? 0.0 : static_cast<double>(largest->context_tokens);
    double seconds = 0.0;
    if (sequences > 0.0) {
      const double mean = static_cast<double>(batch.decode_context_tokens) / sequences;
      const double longest = static_cast<double>(batch.decode_context_max);
      seconds = attention_.at(chunk, cached, sequences, mean);
      if (!skew_.empty() && longest > mean) {
        const double uneven = skew_.at(sequences, 0.0);
        seconds += uneven * (attention_.at(chunk, cached, sequences, longest) - seconds);
      }
    } else if (largest != nullptr) {
      seconds = attention_.at(chunk, cached, 0.0, 0.0);
    }
    const double smallest = batch.prefills.size() > 1 ? attention_.at(1.0, 0.0, 0.0, 0.0) : 0.0;
    for (const PrefillChunk& other : batch.prefills) {
      if (&other == largest) continue;
      seconds += std::max(0.0, attention_.at(static_cast<double>(other.new_tokens),
                                             static_cast<double>(other.context_tokens), 0.0, 0.0) -
                                   smallest);
    }
    return seconds;
  }

  CostRequest request_;
  Architecture a_;
  Roofline roofline_;
  WorkCount work_;
  std::string name_;
  std::map<std::string, LogCurve> roles_;
  LogGrid experts_;
  MixedAttention attention_;
  LogCurve skew_;
  std::vector<double> memo_;
  std::vector<std::string> notes_;
  Diagnostics faults_;
};

}  // namespace

Result<std::unique_ptr<IterationCost>> make_layer_table_cost(const CostRequest& request,
                                                             const Profile& profile) {
  if (request.layout.pipeline > 1) {
    Diagnostic fault;
    fault.field = "profile";
    fault.message =
        fmt::format("profile {} is a table of the whole model and knows no pipeline stages",
                    profile.header().name);
    fault.allowed = "profile: roofline, or serving.parallel.pipeline: 1";
    return fault;
  }
  auto cost = std::make_unique<LayerTableCost>(request);
  Diagnostics faults = cost->load(profile);
  if (!faults.empty()) return faults;
  return std::unique_ptr<IterationCost>(std::move(cost));
}

}  // namespace orrery::models
