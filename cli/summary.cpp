#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/query/row_format.hpp"
#include "cli/numbers.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/quantity.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::cli {
namespace {

/// How a metric is called in the summary, and under which title.
struct Label {
  std::string_view metric;
  std::string_view group;
  std::string_view label;
};
constexpr std::array kLabels = {
    Label{"requests.completed", "Requests", "completed"},
    Label{"requests.rejected", "Requests", "rejected"},
    Label{"requests.failed", "Requests", "failed"},
    Label{"duration_s", "Requests", "first arrival to last token"},
    Label{"throughput.requests_per_s", "Throughput", "requests"},
    Label{"throughput.output_tokens_per_s", "Throughput", "output tokens"},
    Label{"throughput.total_tokens_per_s", "Throughput", "prompt and output tokens"},
    Label{"slo.attainment", "Service objectives", "requests that met all"},
    Label{"goodput.requests_per_s", "Service objectives", "requests that met all, a second"},
    Label{"batch.size.mean", "Batches and KV cache", "mean batch"},
    Label{"kv.utilization.mean", "Batches and KV cache", "mean share of blocks in use"},
    Label{"kv.preemptions", "Batches and KV cache", "preemptions"},
    Label{"prefix.hit_rate", "Batches and KV cache", "prompt tokens found in prefix cache"},
    Label{"gpu.busy", "Devices", "busy"},
    Label{"gpu.mfu", "Devices", "of peak FLOP/s (MFU)"},
    Label{"gpu.mbu", "Devices", "of memory bandwidth (MBU)"},
    Label{"cost.usd_per_million_output_tokens", "Devices", "cost of 1M output tokens"},
    Label{"energy.joules_per_output_token", "Devices", "energy of an output token"},
    Label{"sim.wall_s", "Simulator", "wall time"},
    Label{"sim.events", "Simulator", "events"},
    Label{"sim.events_per_s", "Simulator", "events a second"},
    Label{"sim.peak_rss_bytes", "Simulator", "peak memory"},
};
constexpr std::array<std::string_view, 7> kGroups = {
    "Requests",  "Throughput", "Service objectives", "Batches and KV cache", "Devices",
    "Simulator", "Other"};

struct DistributionLabel {
  std::string_view base;
  std::string_view label;
};
constexpr std::array kDistributions = {
    DistributionLabel{"ttft_s", "time to first token (TTFT)"},
    DistributionLabel{"tpot_s", "time per output token (TPOT)"},
    DistributionLabel{"itl_s", "gap between tokens (ITL)"},
    DistributionLabel{"e2e_s", "arrival to last token (E2E)"},
    DistributionLabel{"queue_s", "waiting in the queue"},
};
constexpr std::array<std::string_view, 6> kStatistics = {"mean", "p50", "p90", "p95", "p99", "max"};

const sim::Metric* find(std::span<const sim::Metric> metrics, std::string_view name) {
  const auto it = std::find_if(metrics.begin(), metrics.end(),
                               [&](const sim::Metric& metric) { return metric.name == name; });
  return it == metrics.end() ? nullptr : &*it;
}

// "ttft_s" for "ttft_s.p50"; empty for what is no statistic of a known distribution.
std::string_view distribution_of(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == name.npos) return {};
  const std::string_view statistic = name.substr(dot + 1);
  const std::string_view base = name.substr(0, dot);
  const bool known_statistic =
      std::find(kStatistics.begin(), kStatistics.end(), statistic) != kStatistics.end();
  const bool known_base =
      std::any_of(kDistributions.begin(), kDistributions.end(),
                  [&](const DistributionLabel& label) { return label.base == base; });
  return known_statistic && known_base ? base : std::string_view{};
}

std::string latency_table(std::span<const sim::Metric> metrics, std::size_t width, bool colour) {
  std::vector<std::string> columns = {"Latency"};
  for (const std::string_view statistic : kStatistics) columns.emplace_back(statistic);
  TextTable table(columns);
  for (std::size_t i = 1; i < columns.size(); ++i) table.align(i, Align::kRight);
  for (const DistributionLabel& distribution : kDistributions) {
    std::vector<std::string> row = {fmt::format("  {}", distribution.label)};
    bool any = false;
    for (const std::string_view statistic : kStatistics) {
      const sim::Metric* metric = find(metrics, fmt::format("{}.{}", distribution.base, statistic));
      row.push_back(metric == nullptr ? "-" : metric_text(metric->value, metric->unit));
      any = any || metric != nullptr;
    }
    if (any) table.add(std::move(row));
  }
  return table.size() == 0 ? std::string{} : fmt::format("\n{}", table.text(width, true, colour));
}

std::string group_text(std::string_view group,
                       const std::vector<std::pair<std::string, std::string>>& lines, bool colour) {
  std::string out = fmt::format("\n{}\n", bold(group, colour));
  for (const auto& [label, value] : lines) out += fmt::format("  {:<36} {:>14}\n", label, value);
  return out;
}

std::string field_line(std::string_view name, std::string_view value) {
  return fmt::format("  {:<10} {}\n", name, printable(value));
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string workload_text(const config::Workload& workload) {
  std::string text;
  if (workload.has_trace()) {
    text = fmt::format("trace {}", workload.trace().path());
  } else {
    text = fmt::format("{} generated", plural(workload.generate().requests(), "request"));
  }
  if (workload.has_limit())
    text += fmt::format(", at most {}", plural(workload.limit(), "request"));
  if (workload.rate_scale() != 1.0)
    text += fmt::format(", rate x {}", rounded(workload.rate_scale()));
  if (workload.sample() != 1.0)
    text += fmt::format(", sampled {} %", rounded(100 * workload.sample()));
  return text;
}

}  // namespace

std::string describe_run(const config::Scenario& scenario, bool colour) {
  std::string out = fmt::format("{}\n", bold(printable(scenario.name()), colour));
  std::string model = scenario.model().name();
  if (scenario.model().has_weights()) model += fmt::format(" ({})", scenario.model().weights());
  out += field_line("model", model);
  const config::Serving& serving = scenario.serving();
  const std::int64_t per_replica =
      std::int64_t{serving.parallel().tensor()} * serving.parallel().pipeline();
  std::string devices =
      fmt::format("{}; {}", scenario.cluster().device(), plural(serving.replicas(), "replica"));
  devices += per_replica == 1
                 ? " of one device"
                 : fmt::format(" of {} devices (tensor {}, pipeline {})", per_replica,
                               serving.parallel().tensor(), serving.parallel().pipeline());
  out += field_line("devices", devices);
  std::string policy = serving.scheduler().policy();
  if (serving.replicas() > 1) policy += fmt::format(", router {}", serving.router().policy());
  out += field_line("scheduler", policy);
  out += field_line("requests", workload_text(scenario.workload()));
  out += field_line("prices", scenario.profile());
  return out;
}

std::string metrics_text(std::span<const sim::Metric> metrics, std::size_t width, bool colour) {
  std::string out;
  for (const std::string_view group : kGroups) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const sim::Metric& metric : metrics) {
      if (!distribution_of(metric.name).empty()) continue;
      const auto label = std::find_if(kLabels.begin(), kLabels.end(), [&](const Label& candidate) {
        return candidate.metric == metric.name;
      });
      if ((label == kLabels.end() ? "Other" : label->group) != group) continue;
      lines.emplace_back(
          label == kLabels.end() ? printable(metric.name) : std::string(label->label),
          metric_text(metric.value, metric.unit));
    }
    if (!lines.empty()) out += group_text(group, lines, colour);
    if (group == "Requests") out += latency_table(metrics, width, colour);
  }
  return out;
}

std::string notes_text(std::span<const std::string> notes, std::size_t width, bool colour) {
  if (notes.empty()) return {};
  constexpr std::size_t kWhereNoTerminal = 100;
  std::string out = fmt::format("\n{}\n", bold("Notes", colour));
  for (const std::string& note : notes) {
    const std::size_t room = width == 0 ? kWhereNoTerminal : width;
    out += fmt::format("  - {}\n", wrapped(printable(note), room, "    "));
  }
  return out;
}

std::string run_json(const RunJson& run) {
  using analysis::json_string;
  std::string out =
      fmt::format("{{\"run_id\": {}, \"scenario\": {}, \"kind\": {}, \"metrics\": {{",
                  json_string(run.run_id), json_string(run.scenario), json_string(run.kind));
  std::vector<std::string> notes(run.notes.begin(), run.notes.end());
  bool first = true;
  for (const sim::Metric& metric : run.metrics) {
    out += fmt::format("{}{}: {}", first ? "" : ", ", json_string(metric.name),
                       analysis::json_number(metric.value));
    first = false;
    if (!std::isfinite(metric.value)) {
      notes.push_back(fmt::format("{} is not a finite number", metric.name));
    }
  }
  out += "}, \"notes\": [";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (i > 0) out += ", ";
    out += json_string(notes[i]);
  }
  return out + "]}\n";
}

}  // namespace orrery::cli
