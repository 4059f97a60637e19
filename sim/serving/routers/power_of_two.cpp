// Power of two choices: of two different replicas drawn at random, the one with fewer unfinished
// requests (Mitzenmacher 2001).

#include "sim/core/random.hpp"
#include "sim/serving/routers/entries.hpp"

namespace orrery::sim {
namespace {

class PowerOfTwoRouter final : public Router {
 public:
  explicit PowerOfTwoRouter(std::uint64_t seed) : random_(seed, "router") {}

  std::size_t pick(const traces::Request& /*request*/,
                   std::span<const std::int64_t> outstanding) override {
    if (outstanding.size() == 1) return 0;
    const auto first = static_cast<std::size_t>(random_.below(outstanding.size()));
    auto second = static_cast<std::size_t>(random_.below(outstanding.size() - 1));
    if (second >= first) ++second;
    return outstanding[second] < outstanding[first] ? second : first;
  }

 private:
  RandomStream random_;
};

}  // namespace

RouterEntry power_of_two_entry() {
  return {"power_of_two",
          "The less loaded of two replicas drawn at random.",
          "Mitzenmacher, The power of two choices, 2001",
          {},
          [](const config::Router&, std::uint64_t seed) -> std::unique_ptr<Router> {
            return std::make_unique<PowerOfTwoRouter>(seed);
          }};
}

}  // namespace orrery::sim
