// orrery trace: looks into, converts and generates request traces.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "analysis/query/row_format.hpp"
#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/interrupt.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/scenario_files.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/quantity.hpp"
#include "models/registry.hpp"
#include "traces/convert.hpp"
#include "traces/info.hpp"
#include "traces/transform.hpp"

namespace orrery::cli {
namespace {

using traces::RequestSource;

const CommandSpec& spec() {
  static const CommandSpec kSpec = {
      "orrery trace info TRACE | convert TRACE OUT | generate OUT [options]",
      "info shows rates, burstiness, lengths and prefix sharing of a trace; convert writes it in "
      "the "
      "plain form that every part of Orrery reads; generate writes a synthetic one. TRACE is a "
      "file "
      "(plain, .gz or .zst) or a shipped sample, OUT ends in .csv or .jsonl, with .gz or .zst "
      "after "
      "it if wanted. --set changes fields of a scenario's workload (orrery describe scenario "
      "workload): windows, sampling, rate, lengths, columns of a file, laws of the generator.",
      {{"format", "FORMAT", "Format of TRACE (default: found out from its first lines)."},
       {"set", "PATH=VALUE", "A field of the workload, e.g. rate_scale=2; may be repeated.", true},
       {"requests,n", "COUNT", "generate: how many requests (default: 1000)."},
       {"rate", "RATE", "generate: mean arrivals, e.g. 5/s (default: 1/s)."},
       {"scenario", "SCENARIO", "generate: the workload of this scenario."},
       {"seed", "SEED", "Seed of the random streams (default: 1)."},
       {"force", "", "Replace OUT if it exists."},
       {"json", "", "info: print one JSON object."}},
      {"action", "first", "second"},
      false,
      {"orrery trace info azure-conv-2023",
       "orrery trace info my.csv --set trace.columns.prompt=in_len",
       "orrery trace convert azure-conv-2023 busy.csv.zst --set rate_scale=3 --set limit=5000",
       "orrery trace generate burst.csv -n 10000 --rate 20/s --set "
       "generate.arrivals.process=gamma"}};
  return kSpec;
}

/// Passes requests on, shows how many, and ends with a fault when someone presses Ctrl-C.
class WatchedSource : public RequestSource {
 public:
  explicit WatchedSource(std::unique_ptr<RequestSource> source)
      : source_(std::move(source)), bar_(true) {}

  traces::Pull next(traces::Request& out) override {
    if (interrupted()) {
      Diagnostic fault;
      fault.message = "interrupted; nothing was written";
      own_faults_ = {fault};
      return traces::Pull::kFault;
    }
    constexpr std::int64_t kBetweenLooks = 1024;
    if (++count_ % kBetweenLooks == 0) {
      bar_.update({count_, source_->expected_requests(), sim::kTimeZero});
    }
    return source_->next(out);
  }
  const Diagnostics& faults() const override {
    return own_faults_.empty() ? source_->faults() : own_faults_;
  }
  std::int64_t expected_requests() const override { return source_->expected_requests(); }
  void clear_bar() { bar_.clear(); }

 private:
  std::unique_ptr<RequestSource> source_;
  ProgressBar bar_;
  std::int64_t count_ = 0;
  Diagnostics own_faults_;
};

int report_source_faults(const Diagnostics& faults) {
  const int code = report_faults(faults);
  return interrupted() ? kInterrupted : code;
}

Result<std::uint64_t> seed_of(const Arguments& arguments) {
  const std::string text = arguments.value("seed", "1");
  std::uint64_t seed = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seed);
  if (parsed.ec == std::errc{} && parsed.ptr == end) return seed;
  Diagnostic fault;
  fault.field = "--seed";
  fault.message = fmt::format("\"{}\" is not a whole number", text);
  fault.allowed = "0 to 18446744073709551615";
  return fault;
}

// A workload from YAML text and the --set options.
Result<config::Workload> workload_of(const std::string& yaml, const Arguments& arguments) {
  config::Workload workload;
  const auto sets = arguments.values("set");
  Diagnostics faults =
      scenarios::bind_yaml(yaml, "command line", ".", sets, vocabularies(), workload);
  if (!faults.empty()) return faults;
  return workload;
}

Result<std::unique_ptr<WatchedSource>> open_source(Result<config::Workload> workload,
                                                   std::uint64_t seed) {
  if (!workload) return std::move(workload).faults();
  auto source = traces::make_source(*workload, seed);
  if (!source) return std::move(source).faults();
  return std::make_unique<WatchedSource>(std::move(source).value());
}

Result<std::unique_ptr<WatchedSource>> recorded(const Arguments& arguments) {
  auto seed = seed_of(arguments);
  if (!seed) return std::move(seed).faults();
  const std::string trace = arguments.value("first");
  const auto samples = traces::sample_names();
  std::error_code error;
  if (std::find(samples.begin(), samples.end(), trace) == samples.end() &&
      !std::filesystem::exists(trace, error)) {
    Diagnostic fault;
    fault.message = fmt::format("there is no file and no shipped sample \"{}\"", trace);
    fault.nearest = nearest_name(trace, samples);
    fault.allowed = fmt::format("a file, {}", fmt::join(samples, ", "));
    return fault;
  }
  // JSON strings are YAML strings, whatever the path holds.
  const std::string yaml =
      fmt::format("trace: {{path: {}, format: {}}}", analysis::json_string(trace),
                  analysis::json_string(arguments.value("format", "auto")));
  return open_source(workload_of(yaml, arguments), *seed);
}

Result<std::unique_ptr<WatchedSource>> generated(const Arguments& arguments) {
  auto seed = seed_of(arguments);
  if (!seed) return std::move(seed).faults();
  if (arguments.has("scenario")) {
    for (const std::string_view option : {"requests", "rate"}) {
      if (!arguments.has(option)) continue;
      Diagnostic fault;
      fault.message = fmt::format("--{} and --scenario exclude each other", option);
      return fault;
    }
    std::vector<std::string> sets;
    for (const std::string& set : arguments.values("set")) sets.push_back("workload." + set);
    auto scenario = load_named_scenario(arguments.value("scenario"), sets);
    if (!scenario) return std::move(scenario).faults();
    return open_source(scenario->workload(), arguments.has("seed") ? *seed : scenario->seed());
  }
  const std::string yaml =
      fmt::format("generate: {{requests: {}, arrivals: {{rate: {}}}, prompt: 512, output: 128}}",
                  analysis::json_string(arguments.value("requests", "1000")),
                  analysis::json_string(arguments.value("rate", "1/s")));
  return open_source(workload_of(yaml, arguments), *seed);
}

// ---- info ----

std::string tokens(const sim::Distribution& lengths) {
  return fmt::format("mean {}, p50 {}, p90 {}, p99 {}, max {}", rounded(lengths.mean()),
                     rounded(lengths.quantile(0.5)), rounded(lengths.quantile(0.9)),
                     rounded(lengths.quantile(0.99)), rounded(lengths.max()));
}

std::string info_text(const traces::TraceInfo& info) {
  std::string out = description_line("requests", grouped(info.requests));
  out += description_line("from first to last", humanize(info.span_s, Dimension::kDuration));
  out += description_line("arrivals",
                          fmt::format("{} /s on average, {} /s in the busiest minute",
                                      rounded(info.mean_rate), rounded(info.peak_rate_minute)));
  out += description_line(
      "burstiness", fmt::format("gaps vary by {} of their mean (1: Poisson); counts by minute: "
                                "variance {} times the mean (1: Poisson)",
                                rounded(info.gap_cv), rounded(info.dispersion_minute)));
  out += description_line("prompt tokens", tokens(info.prompt_tokens));
  out += description_line("output tokens", tokens(info.output_tokens));
  out += description_line("correlation", fmt::format("{} between prompt and output length",
                                                     rounded(info.length_correlation)));
  if (info.sessions > 0) out += description_line("conversations", grouped(info.sessions));
  if (info.prompt_blocks > 0) {
    out += description_line(
        "prefix sharing",
        fmt::format("{} prompt blocks, {} different{}; an endless cache would hit {} %",
                    grouped(info.prompt_blocks), info.blocks_complete ? "" : "at least ",
                    grouped(info.unique_blocks), rounded(100.0 * info.block_reuse)));
  } else {
    out += description_line("prefix sharing", "the trace does not tell");
  }
  return out;
}

std::string lengths_json(const sim::Distribution& d) {
  using analysis::json_number;
  return fmt::format("{{\"mean\": {}, \"p50\": {}, \"p90\": {}, \"p99\": {}, \"max\": {}}}",
                     json_number(d.mean()), json_number(d.quantile(0.5)),
                     json_number(d.quantile(0.9)), json_number(d.quantile(0.99)),
                     json_number(d.max()));
}

std::string info_json(const traces::TraceInfo& i) {
  using analysis::json_number;
  return fmt::format(
      "{{\"requests\": {}, \"span_s\": {}, \"mean_rate\": {}, \"peak_rate_minute\": {}, "
      "\"gap_cv\": {}, \"dispersion_minute\": {}, \"prompt_tokens\": {}, \"output_tokens\": {}, "
      "\"length_correlation\": {}, \"sessions\": {}, \"prompt_blocks\": {}, \"unique_blocks\": {}, "
      "\"block_reuse\": {}}}\n",
      i.requests, json_number(i.span_s), json_number(i.mean_rate), json_number(i.peak_rate_minute),
      json_number(i.gap_cv), json_number(i.dispersion_minute), lengths_json(i.prompt_tokens),
      lengths_json(i.output_tokens), json_number(i.length_correlation), i.sessions, i.prompt_blocks,
      i.unique_blocks, json_number(i.block_reuse));
}

int trace_info(const Arguments& arguments) {
  if (!arguments.has("first")) {
    return report_fault(fmt::format("say which trace: a file or a shipped sample ({})",
                                    fmt::join(traces::sample_names(), ", ")));
  }
  auto source = recorded(arguments);
  if (!source) return report_faults(source.faults());
  const auto info = traces::inspect(**source);
  (*source)->clear_bar();
  if (!info) return report_source_faults(info.faults());
  print(arguments.has("json") ? info_json(*info) : info_text(*info));
  return finish_output(kSuccess);
}

// ---- convert and generate ----

int write(Result<std::unique_ptr<WatchedSource>> source, const Arguments& arguments,
          const std::string& out) {
  if (!source) return report_faults(source.faults());
  std::error_code error;
  if (std::filesystem::exists(out, error) && !arguments.has("force")) {
    return report_fault(fmt::format("{}: the file exists; --force replaces it", out));
  }
  const auto written = traces::write_trace(**source, out);
  (*source)->clear_bar();
  if (!written) return report_source_faults(written.faults());
  fmt::print(stderr, "Wrote {} requests to {}\n", grouped(*written), printable(out));
  return kSuccess;
}

int trace_convert(const Arguments& arguments) {
  if (!arguments.has("second"))
    return report_fault("say what to read and what to write: TRACE OUT");
  return write(recorded(arguments), arguments, arguments.value("second"));
}

int trace_generate(const Arguments& arguments) {
  if (!arguments.has("first")) return report_fault("say what to write: OUT");
  if (arguments.has("second")) {
    return report_fault(fmt::format("unexpected argument {}", arguments.value("second")));
  }
  return write(generated(arguments), arguments, arguments.value("first"));
}

}  // namespace

int trace_command(const std::vector<std::string>& arguments) {
  int code = kSuccess;
  const auto parsed = parse_or_explain(spec(), arguments, code);
  if (!parsed) return code;
  const std::string action = parsed->value("action");
  if (action == "info") return trace_info(*parsed);
  if (action == "convert") return trace_convert(*parsed);
  if (action == "generate") return trace_generate(*parsed);
  Diagnostic fault;
  fault.message =
      action.empty() ? "say what to do with a trace" : fmt::format("cannot {} a trace", action);
  const std::vector<std::string> actions = {"info", "convert", "generate"};
  fault.nearest = nearest_name(action, actions);
  fault.allowed = "info, convert, generate";
  return report_faults({fault});
}

}  // namespace orrery::cli
