#include "traces/info.hpp"

#include <cmath>
#include <unordered_set>

namespace orrery::traces {
namespace {

constexpr std::size_t kMostTracked = 20'000'000;  // About 1 GiB of ids.

/// Counts per minute without keeping them.
class Minutes {
 public:
  void add(double second) {
    const auto minute = static_cast<std::int64_t>(second / 60.0);
    if (minute != current_) {
      close();
      // Minutes without any arrival count as well.
      empty_ += minute - current_ - 1;
      current_ = minute;
    }
    ++count_;
  }
  void close() {
    const auto count = static_cast<double>(count_);
    peak_ = std::max(peak_, count);
    sum_ += count;
    squares_ += count * count;
    ++closed_;
    count_ = 0;
  }
  double peak() const { return peak_; }
  double dispersion() const {
    const auto minutes = static_cast<double>(closed_ + empty_);
    if (minutes < 2.0 || sum_ <= 0.0) return 0.0;
    const double mean = sum_ / minutes;
    return (squares_ / minutes - mean * mean) / mean;
  }

 private:
  std::int64_t current_ = 0;
  std::int64_t count_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t empty_ = 0;
  double peak_ = 0.0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

struct Moments {
  double xy = 0.0;
  double gaps = 0.0;
  double gap_squares = 0.0;
};

void count_blocks(const Request& request, std::unordered_set<std::uint64_t>& seen,
                  TraceInfo& info) {
  for (const std::uint64_t id : request.block_hashes) {
    ++info.prompt_blocks;
    if (seen.size() < kMostTracked) {
      seen.insert(id);
    } else {
      info.blocks_complete = false;
    }
  }
}

}  // namespace

Result<TraceInfo> inspect(RequestSource& source) {
  TraceInfo info;
  Moments moments;
  Minutes minutes;
  std::unordered_set<std::uint64_t> blocks;
  std::unordered_set<std::int64_t> sessions;
  Request request;
  double first = 0.0;
  double last = 0.0;
  for (Pull pull = source.next(request); pull != Pull::kEnd; pull = source.next(request)) {
    if (pull == Pull::kFault) return source.faults();
    const double second = static_cast<double>(request.arrival.count()) * 1e-9;
    if (info.requests == 0) {
      first = second;
    } else {
      moments.gaps += second - last;
      moments.gap_squares += (second - last) * (second - last);
    }
    last = second;
    ++info.requests;
    minutes.add(second - first);
    const auto prompt = static_cast<double>(request.prompt_tokens);
    const auto output = static_cast<double>(request.output_tokens);
    info.prompt_tokens.add(prompt);
    info.output_tokens.add(output);
    moments.xy += prompt * output;
    if (request.session >= 0) sessions.insert(request.session);
    count_blocks(request, blocks, info);
  }
  minutes.close();
  info.span_s = last - first;
  const auto n = static_cast<double>(info.requests);
  if (info.span_s > 0.0) info.mean_rate = n / info.span_s;
  info.peak_rate_minute = minutes.peak() / 60.0;
  info.dispersion_minute = minutes.dispersion();
  if (info.requests > 2 && moments.gaps > 0.0) {
    const double mean = moments.gaps / (n - 1.0);
    info.gap_cv = std::sqrt(std::max(0.0, moments.gap_squares / (n - 1.0) - mean * mean)) / mean;
  }
  const double spread = std::sqrt(info.prompt_tokens.variance() * info.output_tokens.variance());
  if (spread > 0.0) {
    info.length_correlation =
        (moments.xy / n - info.prompt_tokens.mean() * info.output_tokens.mean()) / spread;
  }
  info.sessions = static_cast<std::int64_t>(sessions.size());
  info.unique_blocks = static_cast<std::int64_t>(blocks.size());
  if (info.prompt_blocks > 0) {
    info.block_reuse =
        1.0 - static_cast<double>(info.unique_blocks) / static_cast<double>(info.prompt_blocks);
  }
  return info;
}

}  // namespace orrery::traces
