#pragma once
// A serving node is what a router sends requests to. The autoregressive replica is one; other kinds
// of serving implement the same interface and share fleet, router, metrics and results.

#include <cstdint>

#include "sim/core/time.hpp"
#include "traces/request.hpp"

namespace orrery::sim {

/// What a node tells its fleet.
class NodeListener {
 public:
  virtual ~NodeListener() = default;
  /// A request left node `node`: completed, rejected or failed.
  virtual void on_request_left(std::int32_t node) = 0;
  /// When the fleet's next request arrives; a node need not look further ahead than it cares to.
  virtual SimTime next_arrival() const = 0;
};

class ServingNode {
 public:
  virtual ~ServingNode() = default;
  /// Takes the request, which arrives now. The request is copied.
  virtual void submit(const traces::Request& request) = 0;
  /// Requests accepted and not finished.
  virtual std::int64_t outstanding() const = 0;
};

}  // namespace orrery::sim
