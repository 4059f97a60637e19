#include "traces/generators/lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenarios/scenario.pb.h"
#include "traces/length_counts.hpp"
#include "traces/reader.hpp"
#include "traces/transform.hpp"

namespace orrery::traces {
namespace {

class FixedLaw final : public LengthLaw {
 public:
  explicit FixedLaw(std::int64_t tokens) : tokens_(tokens) {}
  std::int64_t draw(sim::RandomStream&) const override { return tokens_; }

 private:
  std::int64_t tokens_;
};

class LognormalLaw final : public LengthLaw {
 public:
  LognormalLaw(double mean, double cv) : mean_(mean), cv_(cv) {}
  std::int64_t draw(sim::RandomStream& random) const override {
    const double value = random.lognormal(mean_, cv_);
    // An infinite spread draws what is no number; the least is as good as any.
    if (!(value >= 1.0)) return 1;
    return std::llround(std::min(value, static_cast<double>(kMostTokens)));
  }

 private:
  double mean_;
  double cv_;
};

class UniformLaw final : public LengthLaw {
 public:
  UniformLaw(std::int64_t low, std::int64_t high) : low_(low), high_(high) {}
  std::int64_t draw(sim::RandomStream& random) const override {
    return low_ +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high_ - low_) + 1));
  }

 private:
  std::int64_t low_;
  std::int64_t high_;
};

/// Draws lengths as often as they occur.
class EmpiricalLaw final : public LengthLaw {
 public:
  explicit EmpiricalLaw(const LengthCounts& counts) : entries_(counts.entries()) {
    std::uint64_t sum = 0;
    for (LengthCounts::Entry& entry : entries_) {
      sum += entry.count;
      entry.count = sum;  // cumulative from here on
    }
  }
  std::int64_t draw(sim::RandomStream& random) const override {
    const std::uint64_t rank = random.below(entries_.back().count);
    return std::upper_bound(entries_.begin(), entries_.end(), rank,
                            [](std::uint64_t wanted, const LengthCounts::Entry& entry) {
                              return wanted < entry.count;
                            })
        ->tokens;
  }

 private:
  std::vector<LengthCounts::Entry> entries_;
};

class BoundedLaw final : public LengthLaw {
 public:
  BoundedLaw(std::unique_ptr<LengthLaw> inner, std::int64_t low, std::int64_t high)
      : inner_(std::move(inner)), low_(low), high_(high) {}
  std::int64_t draw(sim::RandomStream& random) const override {
    return std::clamp(inner_->draw(random), low_, high_);
  }

 private:
  std::unique_ptr<LengthLaw> inner_;
  std::int64_t low_;
  std::int64_t high_;
};

Diagnostic fault(const char* field, std::string message) {
  Diagnostic diagnostic;
  diagnostic.field = field;
  diagnostic.message = std::move(message);
  return diagnostic;
}

Result<std::unique_ptr<LengthLaw>> empirical(const config::Empirical& config, LengthOf which) {
  config::Trace trace;
  trace.set_path(config.trace());
  Result<std::unique_ptr<RequestSource>> source = open_trace(trace);
  if (!source) return std::move(source).faults();
  LengthCounts lengths;
  Request request;
  Pull pull = Pull::kRequest;
  while ((pull = (*source)->next(request)) == Pull::kRequest) {
    lengths.add(which == LengthOf::kPrompt ? request.prompt_tokens : request.output_tokens);
  }
  if (pull == Pull::kFault) return (*source)->faults();
  return std::unique_ptr<LengthLaw>(std::make_unique<EmpiricalLaw>(lengths));
}

Result<std::unique_ptr<LengthLaw>> unbounded(const config::Lengths& config, LengthOf which,
                                             const char* field) {
  if (config.has_fixed()) {
    return std::unique_ptr<LengthLaw>(std::make_unique<FixedLaw>(config.fixed()));
  }
  if (config.has_lognormal()) {
    return std::unique_ptr<LengthLaw>(
        std::make_unique<LognormalLaw>(config.lognormal().mean(), config.lognormal().cv()));
  }
  if (config.has_uniform()) {
    const config::Uniform& uniform = config.uniform();
    if (uniform.low() > uniform.high()) {
      return fault(field, fmt::format("low {} is above high {}", uniform.low(), uniform.high()));
    }
    return std::unique_ptr<LengthLaw>(std::make_unique<UniformLaw>(uniform.low(), uniform.high()));
  }
  if (config.has_empirical()) return empirical(config.empirical(), which);
  return fault(field, "no law given (fixed, lognormal, uniform or empirical)");
}

}  // namespace

Result<std::unique_ptr<LengthLaw>> make_length_law(const config::Lengths& config, LengthOf which,
                                                   const char* field) {
  const std::int64_t high = config.has_max() ? config.max() : kMostTokens;
  if (config.min() > high) {
    return fault(field, fmt::format("min {} is above max {}", config.min(), high));
  }
  Result<std::unique_ptr<LengthLaw>> law = unbounded(config, which, field);
  if (!law) return law;
  return std::unique_ptr<LengthLaw>(
      std::make_unique<BoundedLaw>(*std::move(law), config.min(), high));
}

}  // namespace orrery::traces
