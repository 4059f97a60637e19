#include "traces/info.hpp"

#include <algorithm>
#include <cmath>

#include "traces/distinct_ids.hpp"
#include "traces/length_counts.hpp"

namespace orrery::traces {
namespace {

/// Counts of arrivals by windows of equal length, without keeping them. Windows without any arrival
/// count as well; the last one counts as whole.
class Windows {
 public:
  explicit Windows(double seconds) : seconds_(seconds) {}

  void add(double second) {
    const double window = std::floor(second / seconds_);
    if (window != current_) {
      close();
      current_ = window;
    }
    count_ += 1.0;
  }
  void close() {
    peak_ = std::max(peak_, count_);
    sum_ += count_;
    squares_ += count_ * count_;
    count_ = 0.0;
  }
  double peak_rate() const { return peak_ / seconds_; }
  double dispersion() const {
    const double windows = current_ + 1.0;
    if (windows < 2.0 || sum_ <= 0.0) return 0.0;
    const double mean = sum_ / windows;
    return (squares_ / windows - mean * mean) / mean;
  }

 private:
  double seconds_;
  double current_ = 0.0;
  double count_ = 0.0;
  double peak_ = 0.0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

/// Running means and second moments of pairs (Welford 1962), which lose no digits to large means.
class Moments {
 public:
  void add(double x, double y) {
    count_ += 1.0;
    const double dx = x - mean_x_;
    mean_x_ += dx / count_;
    const double dy = y - mean_y_;
    mean_y_ += dy / count_;
    xx_ += dx * (x - mean_x_);
    yy_ += dy * (y - mean_y_);
    xy_ += dx * (y - mean_y_);
  }
  double correlation() const {
    const double spread = std::sqrt(xx_) * std::sqrt(yy_);
    return spread > 0.0 ? xy_ / spread : 0.0;
  }
  double variation_of_x() const { return mean_x_ > 0.0 ? std::sqrt(xx_ / count_) / mean_x_ : 0.0; }

 private:
  double count_ = 0.0;
  double mean_x_ = 0.0;
  double mean_y_ = 0.0;
  double xx_ = 0.0;
  double yy_ = 0.0;
  double xy_ = 0.0;
};

/// What an endless cache of blocks would find.
class BlockReuse {
 public:
  void add(const Request& request) {
    prompt_tokens_ += static_cast<double>(request.prompt_tokens);
    const std::int64_t size = request.hash_block_tokens;
    std::int64_t begin = 0;
    for (const std::uint64_t id : request.block_hashes) {
      const bool of_prompt = begin < request.prompt_tokens;
      blocks_ += of_prompt ? 1 : 0;
      if (seen_.sampled(id)) {
        const std::uint64_t weight = seen_.weight();
        if (!seen_.insert(id) && of_prompt) {
          hits_ += weight;
          const std::int64_t tokens = std::min(size, request.prompt_tokens - begin);
          hit_tokens_ += static_cast<double>(weight) * static_cast<double>(tokens);
        }
      }
      begin += size;
    }
  }

  void report(TraceInfo& info) const {
    info.prompt_blocks = blocks_;
    info.blocks_complete = seen_.exact();
    const std::int64_t hits = std::min(static_cast<std::int64_t>(hits_), blocks_);
    info.unique_blocks = blocks_ - hits;
    if (blocks_ > 0) info.block_reuse = static_cast<double>(hits) / static_cast<double>(blocks_);
    if (prompt_tokens_ > 0.0) info.token_reuse = std::min(1.0, hit_tokens_ / prompt_tokens_);
  }

 private:
  DistinctIds seen_;
  std::int64_t blocks_ = 0;
  std::uint64_t hits_ = 0;
  double hit_tokens_ = 0.0;
  double prompt_tokens_ = 0.0;
};

void fill(sim::Distribution& out, const LengthCounts& lengths) {
  for (const LengthCounts::Entry& entry : lengths.entries()) {
    out.add(static_cast<double>(entry.tokens), entry.count);
  }
}

}  // namespace

Result<TraceInfo> inspect(RequestSource& source) {
  TraceInfo info;
  Moments lengths;
  Moments gaps;
  Windows seconds(1.0);
  Windows minutes(60.0);
  LengthCounts prompts;
  LengthCounts outputs;
  BlockReuse blocks;
  DistinctIds sessions(DistinctIds::kMostKept / 2);
  Request request;
  std::chrono::nanoseconds first{0};
  std::chrono::nanoseconds last{0};
  const auto between = [](std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
    return static_cast<double>((to - from).count()) * 1e-9;
  };
  for (Pull pull = source.next(request); pull != Pull::kEnd; pull = source.next(request)) {
    if (pull == Pull::kFault) return source.faults();
    if (info.requests == 0) {
      first = request.arrival;
    } else {
      gaps.add(between(last, request.arrival), 0.0);
    }
    last = request.arrival;
    ++info.requests;
    seconds.add(between(first, last));
    minutes.add(between(first, last));
    prompts.add(request.prompt_tokens);
    outputs.add(request.output_tokens);
    lengths.add(static_cast<double>(request.prompt_tokens),
                static_cast<double>(request.output_tokens));
    const auto session = static_cast<std::uint64_t>(request.session);
    if (request.session >= 0 && sessions.sampled(session)) sessions.insert(session);
    blocks.add(request);
  }
  seconds.close();
  minutes.close();
  fill(info.prompt_tokens, prompts);
  fill(info.output_tokens, outputs);
  info.span_s = between(first, last);
  if (info.span_s > 0.0) info.mean_rate = static_cast<double>(info.requests) / info.span_s;
  info.peak_rate_second = seconds.peak_rate();
  info.peak_rate_minute = minutes.peak_rate();
  info.dispersion_minute = minutes.dispersion();
  info.gap_cv = gaps.variation_of_x();
  info.length_correlation = lengths.correlation();
  info.sessions = sessions.count();
  blocks.report(info);
  info.notes = source.notes();
  return info;
}

}  // namespace orrery::traces
