#include "traces/generators/arrivals.hpp"

#include <cmath>
#include <numbers>

#include "scenarios/scenario.pb.h"

namespace orrery::traces {
namespace {

class PoissonLaw final : public ArrivalLaw {
 public:
  explicit PoissonLaw(double rate) : rate_(rate) {}
  double next(double now, sim::RandomStream& random) const override {
    return now + random.exponential(1.0 / rate_);
  }

 private:
  double rate_;
};

class GammaLaw final : public ArrivalLaw {
 public:
  GammaLaw(double rate, double cv) : shape_(1.0 / (cv * cv)), scale_(cv * cv / rate) {}
  double next(double now, sim::RandomStream& random) const override {
    return now + random.gamma(shape_, scale_);
  }

 private:
  double shape_;
  double scale_;
};

class EqualGaps final : public ArrivalLaw {
 public:
  explicit EqualGaps(double rate) : gap_(1.0 / rate) {}
  double next(double now, sim::RandomStream&) const override { return now + gap_; }

 private:
  double gap_;
};

/// A Poisson process with rate r (1 + a sin(2 pi t / T)), by thinning (Lewis and Shedler 1979).
class DiurnalLaw final : public ArrivalLaw {
 public:
  DiurnalLaw(double rate, double amplitude, double period)
      : rate_(rate), amplitude_(amplitude), period_(period) {}
  double next(double now, sim::RandomStream& random) const override {
    const double most = rate_ * (1.0 + amplitude_);
    for (;;) {
      now += random.exponential(1.0 / most);
      const double rate =
          rate_ * (1.0 + amplitude_ * std::sin(2.0 * std::numbers::pi * now / period_));
      if (random.uniform() * most < rate) return now;
    }
  }

 private:
  double rate_;
  double amplitude_;
  double period_;
};

class AtOnce final : public ArrivalLaw {
 public:
  double next(double now, sim::RandomStream&) const override { return now; }
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
