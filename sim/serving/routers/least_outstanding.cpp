// Least outstanding: the replica with the fewest unfinished requests, the first of equals.

#include <algorithm>

#include "sim/serving/routers/entries.hpp"

namespace orrery::sim {
namespace {

class LeastOutstandingRouter final : public Router {
 public:
  std::size_t pick(const traces::Request& /*request*/,
                   std::span<const std::int64_t> outstanding) override {
    const auto least = std::min_element(outstanding.begin(), outstanding.end());
    return static_cast<std::size_t>(least - outstanding.begin());
  }
};

}  // namespace

RouterEntry least_outstanding_entry() {
  return {"least_outstanding",
          "The replica with the fewest unfinished requests; the first of equals.",
          "join the shortest queue (Winston 1977)",
          {},
          [](const config::Router&, std::uint64_t) -> std::unique_ptr<Router> {
            return std::make_unique<LeastOutstandingRouter>();
          }};
}

}  // namespace orrery::sim
