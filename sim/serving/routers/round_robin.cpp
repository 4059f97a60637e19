// Round robin: replicas in turn.

#include "sim/serving/routers/entries.hpp"

namespace orrery::sim {
namespace {

class RoundRobinRouter final : public Router {
 public:
  std::size_t pick(const traces::Request& /*request*/,
                   std::span<const std::int64_t> outstanding) override {
    return next_++ % outstanding.size();
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace

RouterEntry round_robin_entry() {
  return {"round_robin",
          "Replicas in turn.",
          "common practice",
          {},
          [](const config::Router&, std::uint64_t) -> std::unique_ptr<Router> {
            return std::make_unique<RoundRobinRouter>();
          }};
}

}  // namespace orrery::sim
