#include "traces/workload_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/scenario.pb.h"
#include "sim/core/random.hpp"
#include "traces/warp.hpp"

namespace orrery::traces {
namespace {

using std::chrono::nanoseconds;

constexpr double kLatestSeconds = 9e9;  // 285 years, within int64 nanoseconds.

// Requires seconds >= 0; more than can be told saturates.
nanoseconds to_nanoseconds(double seconds) {
  return seconds < kLatestSeconds ? nanoseconds(std::llround(seconds * 1e9)) : nanoseconds::max();
}

double seconds_of(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

class WorkloadSource final : public RequestSource {
 public:
  WorkloadSource(const config::Workload& workload, std::uint64_t seed, OpenSource open,
                 std::unique_ptr<RequestSource> first)
      : options_(workload),
        sample_(seed, "workload/sample"),
        session_sample_(seed, "workload/sample/session"),
        open_(std::move(open)),
        inner_(std::move(first)),
        start_(to_nanoseconds(workload.start())),
        end_(workload.has_duration() ? to_nanoseconds(workload.start() + workload.duration())
                                     : nanoseconds::max()),
        sampling_(workload.sample() < 1.0),
        same_time_(workload.rate_scale() == 1.0 && workload.warp_amplitude() == 0.0) {}

  Pull next(Request& out) override {
    if (!faults_.empty()) return Pull::kFault;
    for (;;) {
      if (pass_ >= options_.repeat()) return Pull::kEnd;
      Pull pull = Pull::kEnd;
      if (!limit_reached()) pull = inner_->next(out);
      if (pull == Pull::kFault) {
        faults_ = inner_->faults();
        return pull;
      }
      if (pull == Pull::kEnd || out.arrival >= end_) {
        if (!start_next_pass()) return faults_.empty() ? end() : Pull::kFault;
        continue;
      }
      const auto index = static_cast<std::uint64_t>(source_index_++);
      if (out.arrival < start_ || !chosen(out, index)) continue;
      return accept(out);
    }
  }

  const Diagnostics& faults() const override { return faults_; }
  std::vector<std::string> notes() const override { return inner_->notes(); }

  std::int64_t expected_requests() const override {
    const bool whole = !sampling_ && options_.start() == 0.0 && !options_.has_duration();
    std::int64_t each = inner_->expected_requests();
    if (!whole || each < 0) return -1;
    if (options_.has_limit()) each = std::min(each, options_.limit());
    constexpr std::int64_t kMost = std::int64_t{1} << 62U;
    return each > kMost / options_.repeat() ? -1 : each * options_.repeat();
  }

 private:
  bool limit_reached() const { return options_.has_limit() && in_pass_ >= options_.limit(); }

  // A request by its place in the source, so that the choice depends on no other option; a turn by
  // its session, so that conversations stay whole.
  bool chosen(const Request& request, std::uint64_t index) const {
    if (!sampling_) return true;
    sim::RandomStream own = request.session >= 0
                                ? session_sample_.split(static_cast<std::uint64_t>(request.session))
                                : sample_.split(index);
    return own.uniform() < options_.sample();
  }

  Pull end() {
    if (issued_ > 0) return Pull::kEnd;
    return fault("workload", "the window or sample leaves no request", "");
  }

  Pull fault(std::string field, std::string message, std::string allowed) {
    Diagnostic diagnostic;
    diagnostic.field = std::move(field);
    diagnostic.message = std::move(message);
    diagnostic.allowed = std::move(allowed);
    faults_.push_back(std::move(diagnostic));
    return Pull::kFault;
  }

  Pull too_late() {
    return fault("workload", fmt::format("request {} would arrive after 285 years", issued_ + 1),
                 "fewer repeats or a higher rate_scale");
  }

  bool start_next_pass() {
    ++pass_;
    if (pass_ >= options_.repeat() || in_pass_ == 0) {
      pass_ = options_.repeat();
      return false;
    }
    // The next pass begins one mean gap after the last request of this one.
    const nanoseconds span = last_in_pass_ - first_in_pass_;
    const nanoseconds gap = span / std::max<std::int64_t>(1, in_pass_ - 1);
    if (seconds_of(offset_) + seconds_of(span) + seconds_of(gap) >= kLatestSeconds) {
      too_late();
      return false;
    }
    offset_ += span + gap;
    Result<std::unique_ptr<RequestSource>> again = open_();
    if (!again) {
      faults_ = again.faults();
      return false;
    }
    inner_ = *std::move(again);
    in_pass_ = 0;
    source_index_ = 0;
    return true;
  }

  Pull accept(Request& out) {
    const nanoseconds local = out.arrival - start_;
    if (in_pass_ == 0) first_in_pass_ = local;
    last_in_pass_ = local;
    ++in_pass_;
    const double even = (seconds_of(offset_) + seconds_of(local)) / options_.rate_scale();
    if (!(even < kLatestSeconds)) {
      return too_late();
    }
    // Exact where time is left alone; rounding must not turn the order round otherwise.
    const nanoseconds arrival =
        same_time_
            ? offset_ + local
            : to_nanoseconds(warped(even, options_.warp_amplitude(), options_.warp_period()));
    latest_ = std::max(latest_, arrival);
    out.arrival = latest_;
    out.id = issued_++;
    clip_lengths(out, options_.max_prompt_tokens(), options_.max_output_tokens(),
                 options_.max_total_tokens());
    return Pull::kRequest;
  }

  config::Workload options_;
  sim::RandomStream sample_;
  sim::RandomStream session_sample_;
  OpenSource open_;
  std::unique_ptr<RequestSource> inner_;
  nanoseconds start_;
  nanoseconds end_;
  bool sampling_;
  bool same_time_;
  nanoseconds offset_{0};
  nanoseconds first_in_pass_{0};
  nanoseconds last_in_pass_{0};
  nanoseconds latest_{0};
  std::int64_t pass_ = 0;
  std::int64_t in_pass_ = 0;
  std::int64_t source_index_ = 0;
  std::int64_t issued_ = 0;
  Diagnostics faults_;
};

}  // namespace

std::unique_ptr<RequestSource> change_source(const config::Workload& workload, std::uint64_t seed,
                                             OpenSource open,
                                             std::unique_ptr<RequestSource> first) {
  return std::make_unique<WorkloadSource>(workload, seed, std::move(open), std::move(first));
}

void clip_lengths(Request& request, std::int64_t max_prompt, std::int64_t max_output,
                  std::int64_t max_total) {
  const std::int64_t before = request.prompt_tokens;
  if (max_prompt > 0) request.prompt_tokens = std::min(request.prompt_tokens, max_prompt);
  if (max_output > 0) request.output_tokens = std::min(request.output_tokens, max_output);
  if (max_total > 0) {
    const std::int64_t room = std::max<std::int64_t>(1, max_total - request.output_tokens);
    request.prompt_tokens = std::min(request.prompt_tokens, room);
    request.output_tokens = std::min(request.output_tokens, max_total - request.prompt_tokens);
  }
  if (request.hash_block_tokens <= 0) return;
  const std::int64_t size = request.hash_block_tokens;
  const std::int64_t blocks =
      request.prompt_tokens < before
          ? request.prompt_tokens / size
          : (request.prompt_tokens + request.output_tokens + size - 1) / size;
  if (static_cast<std::int64_t>(request.block_hashes.size()) > blocks) {
    request.block_hashes.resize(static_cast<std::size_t>(blocks));
  }
}

}  // namespace orrery::traces
