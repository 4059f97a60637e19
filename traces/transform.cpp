#include "traces/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <system_error>
#include <utility>

#include "models/registry.hpp"
#include "models/shipped_data.hpp"
#include "scenarios/scenario.pb.h"
#include "sim/core/random.hpp"
#include "traces/generators/generator.hpp"
#include "traces/reader.hpp"

namespace orrery::traces {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

constexpr const char* kSampleFolder = "traces/samples";

nanoseconds to_nanoseconds(double seconds) {
  constexpr double kMost = 9.2e18;
  return nanoseconds(std::llround(std::clamp(seconds * 1e9, -kMost, kMost)));
}

double seconds_of(nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

/// Solves t' + (aT/2pi)(1 - cos(2 pi t'/T)) = t for t' by bisection: the left side never falls.
double warp(double t, double amplitude, double period) {
  const double swing = amplitude * period / (2.0 * std::numbers::pi);
  double low = t - 2.0 * swing;
  double high = t;
  for (int i = 0; i < 80 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    const double value =
        middle + swing * (1.0 - std::cos(2.0 * std::numbers::pi * middle / period));
    (value < t ? low : high) = middle;
  }
  return high;
}

using Opener = std::function<Result<std::unique_ptr<RequestSource>>()>;

/// Window, sample, limit, repeat, rate and warp over a source that can be opened again.
class WorkloadSource final : public RequestSource {
 public:
  WorkloadSource(const config::Workload& workload, std::uint64_t seed, Opener open,
                 std::unique_ptr<RequestSource> first)
      : options_(workload),
        random_(seed, "workload/sample"),
        open_(std::move(open)),
        inner_(std::move(first)),
        start_(to_nanoseconds(workload.start())),
        end_(workload.has_duration() ? to_nanoseconds(workload.start() + workload.duration())
                                     : nanoseconds::max()) {}

  Pull next(Request& out) override {
    for (;;) {
      if (workload_done()) return Pull::kEnd;
      const Pull pull = inner_->next(out);
      if (pull == Pull::kFault) {
        faults_ = inner_->faults();
        return pull;
      }
      if (pull == Pull::kEnd || out.arrival >= end_ || limit_reached()) {
        if (!start_next_pass()) return faults_.empty() ? end() : Pull::kFault;
        continue;
      }
      const auto index = static_cast<std::uint64_t>(source_index_++);
      if (out.arrival < start_) continue;
      if (options_.sample() < 1.0 && random_.split(index).uniform() >= options_.sample()) continue;
      accept(out);
      return Pull::kRequest;
    }
  }

  const Diagnostics& faults() const override { return faults_; }

  std::int64_t expected_requests() const override {
    const bool whole =
        options_.sample() >= 1.0 && options_.start() == 0.0 && !options_.has_duration();
    const std::int64_t inner = inner_->expected_requests();
    if (!whole || inner < 0) return -1;
    return (options_.has_limit() ? std::min(inner, options_.limit()) : inner) * options_.repeat();
  }

 private:
  bool workload_done() const { return pass_ >= options_.repeat(); }
  bool limit_reached() const { return options_.has_limit() && in_pass_ >= options_.limit(); }

  Pull end() {
    if (issued_ > 0) return Pull::kEnd;
    Diagnostic fault;
    fault.field = "workload";
    fault.message = "the window or sample leaves no request";
    faults_.push_back(std::move(fault));
    return Pull::kFault;
  }

  bool start_next_pass() {
    ++pass_;
    if (workload_done() || in_pass_ == 0) {
      pass_ = options_.repeat();
      return false;
    }
    // One mean gap after the last request of the pass before.
    const auto gaps = std::max<std::int64_t>(1, in_pass_ - 1);
    offset_ += last_in_pass_ + (last_in_pass_ - first_in_pass_) / gaps;
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

  void accept(Request& out) {
    const nanoseconds local = out.arrival - start_;
    if (in_pass_ == 0) first_in_pass_ = local;
    last_in_pass_ = local;
    ++in_pass_;
    double seconds = seconds_of(offset_ + local) / options_.rate_scale();
    const bool untouched = options_.rate_scale() == 1.0 && options_.warp_amplitude() == 0.0;
    if (options_.warp_amplitude() > 0.0) {
      seconds = warp(seconds, options_.warp_amplitude(), options_.warp_period());
    }
    const nanoseconds arrival = untouched ? offset_ + local : to_nanoseconds(seconds);
    latest_ = std::max(latest_, arrival);  // Rounding must not turn the order round.
    out.arrival = latest_;
    out.id = issued_++;
    clip_lengths(out, options_.max_prompt_tokens(), options_.max_output_tokens(),
                 options_.max_total_tokens());
  }

  config::Workload options_;
  sim::RandomStream random_;
  Opener open_;
  std::unique_ptr<RequestSource> inner_;
  nanoseconds start_;
  nanoseconds end_;
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

fs::path sample_path(const std::string& name) {
  for (const char* ending : {".csv.zst", ".jsonl.zst"}) {
    fs::path path = shipped_data(kSampleFolder) / (name + ending);
    std::error_code error;
    if (fs::exists(path, error)) return path;
  }
  return {};
}

}  // namespace

void clip_lengths(Request& request, std::int64_t max_prompt, std::int64_t max_output,
                  std::int64_t max_total) {
  if (max_prompt > 0) request.prompt_tokens = std::min(request.prompt_tokens, max_prompt);
  if (max_output > 0) request.output_tokens = std::min(request.output_tokens, max_output);
  if (max_total > 0) {
    request.prompt_tokens = std::min(request.prompt_tokens, max_total - 1);
    request.output_tokens = std::min(request.output_tokens, max_total - request.prompt_tokens);
  }
  if (request.hash_block_tokens > 0) {
    const std::int64_t tokens = request.prompt_tokens + request.output_tokens;
    const auto blocks = static_cast<std::size_t>((tokens + request.hash_block_tokens - 1) /
                                                 request.hash_block_tokens);
    if (request.block_hashes.size() > blocks) request.block_hashes.resize(blocks);
  }
}

Result<std::unique_ptr<RequestSource>> open_trace(const config::Trace& trace) {
  const fs::path sample = sample_path(trace.path());
  const std::string path = sample.empty() ? trace.path() : sample.string();
  Result<std::unique_ptr<ByteSource>> bytes = open_file(path);
  if (!bytes) {
    Diagnostics faults = bytes.faults();
    faults.front().field = "workload.trace.path";
    faults.front().nearest = nearest_name(trace.path(), sample_names());
    return faults;
  }
  return read_trace(*std::move(bytes), path, trace.format(), trace.columns());
}

Result<std::unique_ptr<RequestSource>> make_source(const config::Workload& workload,
                                                   std::uint64_t seed) {
  Opener open;
  if (workload.has_trace()) {
    open = [trace = workload.trace()] { return open_trace(trace); };
  } else if (workload.has_generate()) {
    open = [generator = workload.generate(), seed] { return make_generator(generator, seed); };
  } else {
    Diagnostic fault;
    fault.field = "workload";
    fault.message = "neither trace nor generate";
    fault.allowed = "one of them";
    return fault;
  }
  Result<std::unique_ptr<RequestSource>> first = open();
  if (!first) return first;
  return std::unique_ptr<RequestSource>(
      std::make_unique<WorkloadSource>(workload, seed, std::move(open), *std::move(first)));
}

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(shipped_data(kSampleFolder), error)) {
    const std::string file = entry.path().filename().string();
    for (const std::string_view ending : {".csv.zst", ".jsonl.zst"}) {
      if (file.size() > ending.size() &&
          file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
        names.push_back(file.substr(0, file.size() - ending.size()));
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names = entry_names(formats());
  names.insert(names.begin(), "auto");
  return names;
}

}  // namespace orrery::traces
