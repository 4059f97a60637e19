#include "traces/generators/arrivals.hpp"

#include "scenarios/scenario.pb.h"
#include "traces/warp.hpp"

namespace orrery::traces {
namespace {

class PoissonLaw final : public ArrivalLaw {
 public:
  explicit PoissonLaw(double rate) : mean_gap_(1.0 / rate) {}
  double next(sim::RandomStream& random) override { return now_ += random.exponential(mean_gap_); }

 private:
  double mean_gap_;
  double now_ = 0.0;
};

class GammaLaw final : public ArrivalLaw {
 public:
  GammaLaw(double rate, double cv) : shape_(1.0 / (cv * cv)), scale_(cv * cv / rate) {}
  double next(sim::RandomStream& random) override { return now_ += random.gamma(shape_, scale_); }

 private:
  double shape_;
  double scale_;
  double now_ = 0.0;
};

/// Counted rather than summed, so that no rounding adds up.
class EqualGaps final : public ArrivalLaw {
 public:
  explicit EqualGaps(double rate) : rate_(rate) {}
  double next(sim::RandomStream&) override { return ++count_ / rate_; }

 private:
  double rate_;
  double count_ = 0.0;
};

class DiurnalLaw final : public ArrivalLaw {
 public:
  DiurnalLaw(double rate, double amplitude, double period)
      : even_(rate), amplitude_(amplitude), period_(period) {}
  double next(sim::RandomStream& random) override {
    return warped(even_.next(random), amplitude_, period_);
  }

 private:
  PoissonLaw even_;
  double amplitude_;
  double period_;
};

class AtOnce final : public ArrivalLaw {
 public:
  double next(sim::RandomStream&) override { return 0.0; }
};

}  // namespace

std::unique_ptr<ArrivalLaw> make_arrival_law(const config::Arrivals& config, double per_arrival) {
  const double rate = config.rate() / per_arrival;
  switch (config.process()) {
    case config::Arrivals::poisson:
      return std::make_unique<PoissonLaw>(rate);
    case config::Arrivals::gamma:
      return std::make_unique<GammaLaw>(rate, config.cv());
    case config::Arrivals::deterministic:
      return std::make_unique<EqualGaps>(rate);
    case config::Arrivals::diurnal:
      return std::make_unique<DiurnalLaw>(rate, config.amplitude(), config.period());
    case config::Arrivals::at_once:
      return std::make_unique<AtOnce>();
  }
  return std::make_unique<PoissonLaw>(rate);
}

}  // namespace orrery::traces
