// orrery query: reads the database through a named query or SQL of one's own.

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>

#include "analysis/query/named_query.hpp"
#include "analysis/query/reader.hpp"
#include "analysis/query/row_format.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/quantity.hpp"
#include "models/registry.hpp"

namespace orrery::cli {
namespace {

using analysis::NamedQuery;
using analysis::QueryParameter;
using analysis::Value;

const CommandSpec& spec() {
  static const CommandSpec kSpec = {
      "orrery query [NAME] [RUN] [options]",
      "Answers questions from the database of results. NAME is a named query (without one they are "
      "listed); RUN chooses the run for those that look at one: last (the default), previous, a "
      "name, or the beginning of an id. The database is opened read-only.",
      {{"sql", "SELECT", "Run this SELECT instead of a named query; quantile(x, q) is available."},
       {"param,p", "NAME=VALUE", "Set a parameter of the query; may be repeated.", true},
       {"db", "FILE", "Database (default: orrery.db)."},
       {"format", "FORMAT", "table, csv or json (default: table)."},
       {"timeout", "DURATION", "End the query after this long, e.g. 30s (default: no limit)."}},
      {"name", "run"},
      false,
      {"orrery query", "orrery query runs", "orrery query requests_slowest -p limit=5",
       "orrery query compare --format csv",
       "orrery query --sql \"SELECT device, ttft_p99_s FROM serving_summary\""}};
  return kSpec;
}

std::string parameters_of(const NamedQuery& query) {
  std::string out;
  for (const QueryParameter& p : query.parameters) {
    out += fmt::format("    {}{}  {}\n", p.name,
                       p.default_value.empty() ? "" : fmt::format("={}", p.default_value), p.help);
  }
  return out;
}

int list_queries() {
  const std::size_t width = terminal_width(stdout);
  const bool colour = use_colour(stdout);
  std::string out = "Named queries (orrery query NAME; parameters with -p NAME=VALUE):\n\n";
  for (const NamedQuery& query : analysis::named_queries()) {
    out += fmt::format("  {}\n    {}\n{}\n", bold(query.name, colour),
                       wrapped(query.help, width == 0 ? 100 : width, "    "), parameters_of(query));
  }
  out +=
      "Tables: run, parameter, metric, note, request, iteration, evaluation, strategy_switch,\n"
      "failure, comparison. Views with seconds and run ids: serving_summary, training_summary,\n"
      "request_latency, iteration_time, run_metric, run_parameter, prediction_error.\n"
      "Use them with --sql; docs/queries.md describes every column.\n";
  print(out);
  return finish_output(kSuccess);
}

// ---- Output ----

class RowPrinter {
 public:
  RowPrinter(std::string format, std::vector<std::string> columns)
      : format_(std::move(format)), columns_(std::move(columns)), table_(columns_) {
    if (format_ == "csv") print(analysis::csv_header(columns_) + "\n");
    if (format_ == "json") print("[");
  }

  void add(const std::vector<Value>& row) {
    ++count_;
    if (format_ == "csv") return print(analysis::csv_row(row) + "\n");
    if (format_ == "json") {
      print(count_ == 1 ? "\n" : ",\n");
      return print(analysis::json_row(columns_, row));
    }
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      // One text in a column makes it a column of text.
      const bool number = !std::holds_alternative<std::string>(row[i]);
      if (number && count_ == 1) table_.align(i, Align::kRight);
      if (!number) table_.align(i, Align::kLeft);
      cells.push_back(cell(row[i]));
    }
    table_.add(std::move(cells));
    if (table_.size() == kChunk) flush_table();
  }

  void finish() {
    if (format_ == "json") print(count_ == 0 ? "]\n" : "\n]\n");
    if (format_ != "table") return;
    flush_table();
    if (count_ == 0) fmt::print(stderr, "No rows.\n");
  }

 private:
  // Widths are those of the rows so far, so that any number of rows can be shown.
  static constexpr std::size_t kChunk = 10000;

  static std::string cell(const Value& value) {
    if (std::holds_alternative<std::monostate>(value)) return "-";
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.9g}", *real);
    return analysis::to_text(value);
  }

  void flush_table() {
    if (table_.size() == 0 && header_done_) return;
    print(table_.text(terminal_width(stdout), !header_done_, use_colour(stdout)));
    table_.clear_rows();
    header_done_ = true;
  }

  std::string format_;
  std::vector<std::string> columns_;
  TextTable table_;
  std::size_t count_ = 0;
  bool header_done_ = false;
};

// ---- Arguments ----

struct Question {
  std::string sql;
  std::map<std::string, std::string> parameters;
};

Result<std::map<std::string, std::string>> given_parameters(const Arguments& arguments) {
  std::map<std::string, std::string> out;
  Diagnostics faults;
  for (const std::string& given : arguments.values("param")) {
    const auto equals = given.find('=');
    if (equals == given.npos || equals == 0) {
      Diagnostic fault;
      fault.field = "--param";
      fault.message = fmt::format("\"{}\" is not NAME=VALUE", given);
      faults.push_back(fault);
      continue;
    }
    out[given.substr(0, equals)] = given.substr(equals + 1);
  }
  if (!faults.empty()) return faults;
  return out;
}

Result<Question> question_of(const Arguments& arguments, analysis::Reader& reader) {
  auto given = given_parameters(arguments);
  if (!given) return std::move(given).faults();
  Question question{arguments.value("sql"), *given};
  if (!arguments.has("sql")) {
    const std::string name = arguments.value("name");
    const auto all = analysis::named_queries();
    const NamedQuery* query = find_entry(all, name);
    if (query == nullptr) {
      Diagnostic fault;
      fault.message = fmt::format("there is no query \"{}\"; `orrery query` lists them", name);
      fault.nearest = nearest_name(name, entry_names(all));
      return fault;
    }
    question.sql = std::string(query->sql);
    for (const QueryParameter& p : query->parameters) {
      question.parameters.try_emplace(p.name, p.default_value);
    }
    if (arguments.has("run")) question.parameters["run"] = arguments.value("run");
  }
  for (auto& [name, value] : question.parameters) {
    if (name.rfind("run", 0) != 0) continue;
    auto run = reader.resolve_run(value);
    if (!run) return std::move(run).faults();
    value = *run;
  }
  return question;
}

Result<analysis::ReaderOptions> reader_options(const Arguments& arguments) {
  analysis::ReaderOptions options;
  options.interrupted = interrupted;
  if (arguments.has("timeout")) {
    auto seconds = parse_quantity(arguments.value("timeout"), Dimension::kDuration);
    if (!seconds) return std::move(seconds).faults();
    constexpr double kLongest = 1e9;
    const double limited = std::clamp(*seconds, 0.001, kLongest);
    options.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(limited * 1e3));
  }
  return options;
}

}  // namespace

int query_command(const std::vector<std::string>& arguments) {
  int code = kSuccess;
  const auto parsed = parse_or_explain(spec(), arguments, code);
  if (!parsed) return code;
  const std::string format = parsed->value("format", "table");
  if (format != "table" && format != "csv" && format != "json") {
    Diagnostic fault;
    fault.field = "--format";
    fault.message = fmt::format("there is no format \"{}\"", format);
    fault.allowed = "table, csv, json";
    return report_faults({fault});
  }
  if (parsed->has("sql") && parsed->has("name")) {
    return report_fault("give either the name of a query or --sql, not both");
  }
  if (!parsed->has("sql") && !parsed->has("name")) return list_queries();
  const auto options = reader_options(*parsed);
  if (!options) return report_faults(options.faults());
  auto reader = analysis::Reader::open(parsed->value("db", "orrery.db"), *options);
  if (!reader) return report_faults(reader.faults());
  const auto question = question_of(*parsed, *reader);
  if (!question) return report_faults(question.faults());
  auto cursor = reader->query(question->sql, question->parameters);
  if (!cursor) return report_faults(cursor.faults());
  RowPrinter printer(format, cursor->columns());
  std::vector<Value> row;
  while (cursor->next(row)) printer.add(row);
  printer.finish();
  return finish_output(kSuccess);
}

}  // namespace orrery::cli
