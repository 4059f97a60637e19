// Random: every replica with the same probability.

#include "sim/core/random.hpp"
#include "sim/serving/routers/entries.hpp"

namespace orrery::sim {
namespace {

class RandomRouter final : public Router {
 public:
  explicit RandomRouter(std::uint64_t seed) : random_(seed, "router") {}

  std::size_t pick(const traces::Request& /*request*/,
                   std::span<const std::int64_t> outstanding) override {
    return static_cast<std::size_t>(random_.below(outstanding.size()));
  }

 private:
  RandomStream random_;
};

}  // namespace

RouterEntry random_entry() {
  return {"random",
          "Any replica, with equal probability.",
          "common practice",
          {},
          [](const config::Router&, std::uint64_t seed) -> std::unique_ptr<Router> {
            return std::make_unique<RandomRouter>(seed);
          }};
}

}  // namespace orrery::sim
