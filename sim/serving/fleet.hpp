#pragma once
// Requests meet nodes: pulls the trace one request at a time, routes each on arrival, and runs the
// engine until everything has left. Knows nothing of what kind of serving the nodes do.

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/result.hpp"
#include "sim/core/engine.hpp"
#include "sim/core/observer.hpp"
#include "sim/serving/node.hpp"
#include "sim/serving/router.hpp"
#include "traces/request.hpp"

namespace orrery::sim {

class Fleet final : public NodeListener {
 public:
  Fleet(Engine& engine, traces::RequestSource& source, std::unique_ptr<Router> router);

  /// Takes the nodes, numbered by position. Call once, before run().
  void add_nodes(std::vector<std::unique_ptr<ServingNode>> nodes);

  /// Runs until the last request has left, the observer cancels, the trace turns out to be wrong,
  /// or simulated time leaves the range in which nanoseconds count (kLongestRun).
  enum class End : std::uint8_t { kDone, kCancelled, kBadTrace, kTooLong };
  static constexpr SimTime kLongestRun{std::chrono::hours(24LL * 365 * 100)};
  End run(Observer& observer);

  std::int64_t arrived() const { return arrived_; }
  std::int64_t left() const { return left_; }

  void on_request_left(std::int32_t node) override;
  SimTime next_arrival() const override { return next_arrival_; }

 private:
  void pull();
  void arrive();

  Engine& engine_;
  traces::RequestSource& source_;
  std::unique_ptr<Router> router_;
  std::vector<std::unique_ptr<ServingNode>> nodes_;
  std::vector<std::int64_t> outstanding_;
  traces::Request request_;
  SimTime next_arrival_ = kTimeNever;
  std::int64_t arrived_ = 0;
  std::int64_t left_ = 0;
  bool bad_trace_ = false;
  bool too_long_ = false;
};

}  // namespace orrery::sim
