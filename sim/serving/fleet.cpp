#include "sim/serving/fleet.hpp"

#include <utility>

#include "sim/core/check.hpp"

namespace orrery::sim {
namespace {

constexpr Priority kArrivalPriority{0};
constexpr std::uint64_t kEventsPerReport = 2048;

}  // namespace

Fleet::Fleet(Engine& engine, traces::RequestSource& source, std::unique_ptr<Router> router)
    : engine_(engine), source_(source), router_(std::move(router)) {}

void Fleet::add_nodes(std::vector<std::unique_ptr<ServingNode>> nodes) {
  ORRERY_CHECK(nodes_.empty() && !nodes.empty());
  nodes_ = std::move(nodes);
  outstanding_.assign(nodes_.size(), 0);
}

void Fleet::pull() {
  next_arrival_ = kTimeNever;
  switch (source_.next(request_)) {
    case traces::Pull::kEnd:
      return;
    case traces::Pull::kFault:
      bad_trace_ = true;
      engine_.stop();
      return;
    case traces::Pull::kRequest:
      next_arrival_ = SimTime{request_.arrival};
      too_long_ = too_long_ || next_arrival_ > kLongestRun;
      engine_.schedule_at(
          next_arrival_, [this] { arrive(); }, kArrivalPriority);
  }
}

void Fleet::arrive() {
  ++arrived_;
  const std::size_t node = router_->pick(request_, outstanding_);
  ++outstanding_[node];
  nodes_[node]->submit(request_);
  pull();
}

void Fleet::on_request_left(std::int32_t node) {
  --outstanding_[static_cast<std::size_t>(node)];
  ++left_;
}

Fleet::End Fleet::run(Observer& observer) {
  pull();
  Progress progress;
  progress.total = source_.expected_requests();
  std::uint64_t events = 0;
  while (!bad_trace_ && !too_long_ && engine_.step()) {
    too_long_ = engine_.now() > kLongestRun;
    if (++events % kEventsPerReport != 0) continue;
    progress.done = left_;
    progress.now = engine_.now();
    if (!observer.on_progress(progress)) return End::kCancelled;
  }
  if (bad_trace_) return End::kBadTrace;
  if (too_long_) return End::kTooLong;
  progress.done = left_;
  progress.now = engine_.now();
  observer.on_progress(progress);
  ORRERY_CHECK(left_ == arrived_);
  return End::kDone;
}

}  // namespace orrery::sim
