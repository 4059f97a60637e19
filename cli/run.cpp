// orrery run: simulates one scenario, keeps the results and shows a summary.

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <optional>

#include "analysis/store/store.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "cli/scenario_files.hpp"
#include "cli/summary.hpp"
#include "cli/terminal.hpp"
#include "scenarios/describe.hpp"
#include "sim/simulate.hpp"

namespace orrery::cli {
namespace {

using analysis::RunStatus;
using analysis::RunWriter;
using analysis::Store;
using analysis::StoreFailure;

const CommandSpec& spec() {
  static const CommandSpec kSpec = {
      "orrery run SCENARIO [options]",
      "Simulates a scenario: a YAML file, or the name of one that ships with Orrery (orrery "
      "describe "
      "scenario --list). Shows a summary and keeps requests, metrics and the resolved scenario in "
      "the database; the same scenario, seed and version replace the earlier results. Ctrl-C stops "
      "the run: its metrics so far are kept, marked cancelled, unless a complete run is there.",
      {{"set", "PATH=VALUE",
        "Change a field of the scenario, e.g. serving.replicas=2; may be repeated.", true},
       {"db", "FILE", "Database (default: orrery.db)."},
       {"no-db", "", "Keep nothing."},
       {"json", "", "Print one JSON object instead of the summary."},
       {"quiet,q", "", "No progress bar and no summary."}},
      {"scenario"},
      false,
      {"orrery run azure-conv-llama3-8b-h100",
       "orrery run my.yaml --set serving.replicas=4 --set workload.rate_scale=2",
       "orrery run my.yaml --json --no-db | jq '.metrics[\"ttft_s.p99\"]'"}};
  return kSpec;
}

/// Passes rows to the database and draws progress.
class RunObserver : public sim::Observer {
 public:
  RunObserver(RunWriter* writer, bool requests, bool iterations, bool progress)
      : bar(progress),
        writer_(writer),
        requests_(writer != nullptr && requests),
        iterations_(writer != nullptr && iterations) {}

  bool wants_requests() const override { return requests_; }
  bool wants_iterations() const override { return iterations_; }
  void on_request(const sim::RequestRecord& record) override { writer_->add(record); }
  void on_iteration(const sim::IterationRecord& record) override { writer_->add(record); }
  bool on_progress(const sim::Progress& progress) override {
    bar.update(progress);
    return !interrupted();
  }

  ProgressBar bar;

 private:
  RunWriter* writer_;
  bool requests_;
  bool iterations_;
};

analysis::RunHeader header_of(const config::Scenario& scenario, const std::string& argument) {
  analysis::RunHeader header;
  header.kind = config::Kind_Name(scenario.kind());
  header.name = scenario.name();
  header.scenario_path = argument;
  header.scenario_text = scenarios::resolved_yaml(scenario);
  header.identity = scenarios::canonical_text(scenario);
  header.seed = scenario.seed();
  header.version = ORRERY_VERSION;
  header.parameters = flatten(scenario);
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  const auto status =
      google::protobuf::util::MessageToJsonString(scenario, &header.parameters_json, options);
  if (!status.ok()) header.parameters_json = "{}";
  return header;
}

// Wall time, event rate and memory beside the events that the simulator counted.
void add_simulator_metrics(std::vector<sim::Metric>& metrics, double wall_s) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr double kKibibyte = 1024.0;
  double events = 0.0;
  for (auto it = metrics.begin(); it != metrics.end(); ++it) {
    if (it->name != "sim.events") continue;
    events = it->value;
    metrics.insert(it, {"sim.wall_s", wall_s, "s"});
    break;
  }
  if (wall_s > 0.0 && events > 0.0) metrics.push_back({"sim.events_per_s", events / wall_s, "1/s"});
  metrics.push_back(
      {"sim.peak_rss_bytes", static_cast<double>(usage.ru_maxrss) * kKibibyte, "bytes"});
}

std::string next_steps(const std::string& run_id, const std::string& database, bool colour) {
  const std::string db =
      database == "orrery.db" ? "" : fmt::format(" --db {}", printable(database));
  return fmt::format(
      "\n{} run {} in {}\n"
      "  orrery query requests_slowest{}\n"
      "  orrery query ttft_by_prompt_length{}\n"
      "  orrery query{}                        the other questions\n",
      bold("Kept as", colour), run_id.substr(0, 8), printable(database), db, db, db);
}

/// One simulation from arguments to exit code.
class Run {
 public:
  Run(const Arguments& arguments, config::Scenario scenario)
      : arguments_(arguments),
        scenario_(std::move(scenario)),
        database_(arguments.value("db", "orrery.db")) {}

  int go() {
    analysis::RunHeader header = header_of(scenario_, arguments_.value("scenario"));
    run_id_ = analysis::run_id(header);
    if (!arguments_.has("no-db")) {
      analysis::StoreOptions options;
      options.interrupted = [this] { return interrupt_count() > tolerated_interrupts_; };
      auto store = Store::open(database_, options);
      if (!store) return report_faults(store.faults());
      store_.emplace(std::move(store).value());
      writer_.emplace(store_->begin_run(std::move(header)));
    }
    RunObserver observer(writer_ ? &*writer_ : nullptr, scenario_.outputs().requests(),
                         scenario_.outputs().iterations(), !arguments_.has("quiet"));
    const auto start = std::chrono::steady_clock::now();
    auto result = sim::simulate(scenario_, observer);
    wall_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    observer.bar.clear();
    if (!result) return report_faults(result.faults());
    summary_ = std::move(result).value();
    add_simulator_metrics(summary_.metrics, wall_s_);
    if (summary_.cancelled) return end_cancelled();
    if (writer_) observer.bar.say("Writing results ...");
    const int code = keep();
    observer.bar.clear();
    show(code == kSuccess);
    return finish_output(code);
  }

 private:
  // Stores the outcome. A failure is said after the summary would have been lost otherwise.
  int keep() {
    if (!writer_) return kSuccess;
    try {
      const auto status = summary_.cancelled ? RunStatus::kCancelled : RunStatus::kComplete;
      kept_ = writer_->finish({summary_.metrics, summary_.notes, status, wall_s_});
      return kSuccess;
    } catch (const StoreFailure& failure) {
      fmt::print(stderr, "{}orrery: {}\n", is_terminal(stderr) ? "\r\x1b[K" : "",
                 printable(failure.what()));
      return interrupt_count() > tolerated_interrupts_ ? kInterrupted : kRunFailed;
    }
  }

  int end_cancelled() {
    tolerated_interrupts_ = interrupt_count();
    keep();
    std::string fate = "nothing was kept";
    if (kept_) fate = fmt::format("the metrics so far are in {} as cancelled", database_);
    if (writer_ && !kept_) fate = "the complete results of an earlier run were left as they are";
    fmt::print(stderr, "orrery: cancelled; {}\n", printable(fate));
    return kInterrupted;
  }

  void show(bool kept) const {
    if (arguments_.has("json")) {
      print(run_json({run_id_, scenario_.name(), config::Kind_Name(scenario_.kind()),
                      summary_.metrics, summary_.notes}));
      return;
    }
    if (arguments_.has("quiet")) return;
    const bool colour = use_colour(stdout);
    const std::size_t width = terminal_width(stdout);
    print(describe_run(scenario_, colour));
    print(metrics_text(summary_.metrics, width, colour));
    print(notes_text(summary_.notes, width, colour));
    if (writer_ && kept) print(next_steps(run_id_, database_, colour));
  }

  const Arguments& arguments_;
  config::Scenario scenario_;
  std::string database_;
  std::string run_id_;
  std::optional<Store> store_;
  std::optional<RunWriter> writer_;
  sim::RunSummary summary_;
  double wall_s_ = 0.0;
  int tolerated_interrupts_ = 0;
  bool kept_ = false;
};

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  int code = kSuccess;
  const auto parsed = parse_or_explain(spec(), arguments, code);
  if (!parsed) return code;
  if (!parsed->has("scenario")) {
    code = report_fault("say which scenario to run: a file or the name of a shipped one");
    fmt::print(stderr, "Usage: {}\nShipped scenarios: orrery describe scenario --list\n",
               spec().usage);
    return code;
  }
  if (parsed->has("db") && parsed->has("no-db")) {
    return report_fault("give either --db or --no-db, not both");
  }
  auto scenario = load_named_scenario(parsed->value("scenario"), parsed->values("set"));
  if (!scenario) return report_faults(scenario.faults());
  return Run(*parsed, std::move(scenario).value()).go();
}

}  // namespace orrery::cli
