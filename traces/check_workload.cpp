#include "traces/check_workload.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "scenarios/scenario.pb.h"
#include "traces/reader.hpp"

namespace orrery::traces {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

/// Collects what is out of range.
class Check {
 public:
  void closed(std::string field, double value, double low, double high) {
    if (!(value >= low && value <= high)) add(std::move(field), value, low, high, "");
  }
  void open(std::string field, double value, double low, double high) {
    if (!(value > low && value <= high)) add(std::move(field), value, low, high, "above ");
  }
  void whole(std::string field, std::int64_t value, std::int64_t low, std::int64_t high) {
    closed(std::move(field), static_cast<double>(value), static_cast<double>(low),
           static_cast<double>(high));
  }
  Diagnostics take() { return std::move(faults_); }

 private:
  void add(std::string field, double value, double low, double high, const char* above) {
    Diagnostic fault;
    fault.field = std::move(field);
    fault.message = fmt::format("{} is out of range", value);
    fault.allowed = high >= kUnbounded ? fmt::format("{}{} or more", above, low)
                                       : fmt::format("{}{} to {}", above, low, high);
    faults_.push_back(std::move(fault));
  }
  Diagnostics faults_;
};

constexpr std::int64_t kMostWhole = std::numeric_limits<std::int64_t>::max();

void check_lengths(const std::string& field, const config::Lengths& lengths, Check& check) {
  if (lengths.has_fixed()) check.whole(field + ".fixed", lengths.fixed(), 1, kMostTokens);
  if (lengths.has_lognormal()) {
    const auto most = static_cast<double>(kMostTokens);
    check.open(field + ".lognormal.mean", lengths.lognormal().mean(), 0, most);
    check.closed(field + ".lognormal.cv", lengths.lognormal().cv(), 0, 1000);
  }
  if (lengths.has_uniform()) {
    check.whole(field + ".uniform.low", lengths.uniform().low(), 1, kMostTokens);
    check.whole(field + ".uniform.high", lengths.uniform().high(), 1, kMostTokens);
  }
  check.whole(field + ".min", lengths.min(), 1, kMostTokens);
  if (lengths.has_max()) check.whole(field + ".max", lengths.max(), 1, kMostWhole);
}

void check_generator(const config::Generator& generator, Check& check) {
  const std::string field = "workload.generate";
  check.whole(field + ".requests", generator.requests(), 1, kMostWhole);
  const config::Arrivals& arrivals = generator.arrivals();
  check.open(field + ".arrivals.rate", arrivals.rate(), 0, kUnbounded);
  check.open(field + ".arrivals.cv", arrivals.cv(), 0, 1000);
  check.closed(field + ".arrivals.amplitude", arrivals.amplitude(), 0, 1);
  check.open(field + ".arrivals.period", arrivals.period(), 0, kUnbounded);
  check_lengths(field + ".prompt", generator.prompt(), check);
  check_lengths(field + ".output", generator.output(), check);
  if (generator.has_shared_prefixes()) {
    const config::SharedPrefixes& prefixes = generator.shared_prefixes();
    check.whole(field + ".shared_prefixes.groups", prefixes.groups(), 1, 100'000'000);
    check.closed(field + ".shared_prefixes.zipf", prefixes.zipf(), 0, 10);
    check.closed(field + ".shared_prefixes.share", prefixes.share(), 0, 1);
    check_lengths(field + ".shared_prefixes.length", prefixes.length(), check);
  }
  if (generator.has_sessions()) {
    check.closed(field + ".sessions.turns", generator.sessions().turns(), 1, 100'000);
    check.closed(field + ".sessions.think_time", generator.sessions().think_time(), 0, kUnbounded);
  }
}

}  // namespace

Diagnostics check_workload(const config::Workload& workload) {
  Check check;
  const std::string field = "workload";
  check.closed(field + ".start", workload.start(), 0, kUnbounded);
  if (workload.has_duration()) {
    check.open(field + ".duration", workload.duration(), 0, kUnbounded);
  }
  check.open(field + ".sample", workload.sample(), 0, 1);
  if (workload.has_limit()) check.whole(field + ".limit", workload.limit(), 1, kMostWhole);
  check.whole(field + ".repeat", workload.repeat(), 1, 1'000'000);
  check.open(field + ".rate_scale", workload.rate_scale(), 0, 1e6);
  check.closed(field + ".warp_amplitude", workload.warp_amplitude(), 0, 0.99);
  check.open(field + ".warp_period", workload.warp_period(), 0, kUnbounded);
  if (workload.has_max_prompt_tokens()) {
    check.whole(field + ".max_prompt_tokens", workload.max_prompt_tokens(), 1, kMostWhole);
  }
  if (workload.has_max_output_tokens()) {
    check.whole(field + ".max_output_tokens", workload.max_output_tokens(), 1, kMostWhole);
  }
  if (workload.has_max_total_tokens()) {
    check.whole(field + ".max_total_tokens", workload.max_total_tokens(), 2, kMostWhole);
  }
  if (workload.has_generate()) check_generator(workload.generate(), check);
  if (workload.has_trace()) {
    const config::TraceColumns& columns = workload.trace().columns();
    check.open(field + ".trace.columns.arrival_unit", columns.arrival_unit(), 0, kUnbounded);
    check.whole(field + ".trace.columns.hash_block_tokens", columns.hash_block_tokens(), 1,
                kMostTokens);
  }
  return check.take();
}

}  // namespace orrery::traces
