#include "traces/reader.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "models/registry.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::traces {
namespace {

class TraceReader final : public RequestSource {
 public:
  TraceReader(LineReader lines, std::deque<std::string> read_ahead, std::string name,
              std::unique_ptr<LineParser> parser)
      : lines_(std::move(lines)),
        read_ahead_(std::move(read_ahead)),
        name_(std::move(name)),
        parser_(std::move(parser)) {}

  Pull next(Request& out) override {
    if (!faults_.empty()) return Pull::kFault;
    std::string_view line;
    while (next_line(line)) {
      if (parser_->wants_header() && !header_seen_) {
        header_seen_ = true;
        parser_->header(line, faults_);
        if (!faults_.empty()) return locate_header_faults();
        continue;
      }
      if (line.empty()) continue;
      if (read_line(line, out) && faults_.empty()) {
        out.id = requests_++;
        return Pull::kRequest;
      }
      if (faults_.size() >= kMostFaults) break;
    }
    return finish();
  }

  const Diagnostics& faults() const override { return faults_; }

 private:
  bool next_line(std::string_view& line) {
    if (!read_ahead_.empty()) {
      current_ = std::move(read_ahead_.front());
      read_ahead_.pop_front();
      ++line_number_;
      line = current_;
      return true;
    }
    if (!lines_.next(line)) return false;
    ++line_number_;
    return true;
  }

  Pull locate_header_faults() {
    for (Diagnostic& fault : faults_) {
      fault.where.file = name_;
      fault.where.line = line_number_;
      if (fault.where.column == 0) fault.where.column = 1;
    }
    return Pull::kFault;
  }

  void add_fault(Diagnostic fault) {
    fault.where.file = name_;
    fault.where.line = line_number_;
    if (fault.where.column == 0) fault.where.column = 1;
    faults_.push_back(std::move(fault));
  }

  void add_fault(std::string message, std::string allowed) {
    Diagnostic fault;
    fault.message = std::move(message);
    fault.allowed = std::move(allowed);
    add_fault(std::move(fault));
  }

  bool read_line(std::string_view line, Request& out) {
    Diagnostic fault;
    out.session = -1;
    out.turn = 0;
    out.block_hashes.clear();
    out.hash_block_tokens = 0;
    switch (parser_->parse(line, out, fault)) {
      case LineParser::Outcome::kSkip:
        ++skipped_;
        return false;
      case LineParser::Outcome::kFault:
        add_fault(std::move(fault));
        return false;
      case LineParser::Outcome::kRequest:
        break;
    }
    return check(out);
  }

  bool check(Request& out) {
    const std::size_t before = faults_.size();
    for (const auto& [tokens, what] :
         {std::pair(out.prompt_tokens, "prompt"), std::pair(out.output_tokens, "output")}) {
      if (tokens < 1 || tokens > kMostTokens) {
        add_fault(fmt::format("{} {} tokens", tokens, what), fmt::format("1 to {}", kMostTokens));
      }
    }
    if (requests_ == 0 && !started_) origin_ = out.arrival;
    started_ = true;
    if (out.arrival < latest_ && latest_set_) {
      add_fault("arrives before the request above it",
                "arrivals in order; sort the file by its time column");
    }
    latest_ = out.arrival;
    latest_set_ = true;
    out.arrival -= origin_;
    return faults_.size() == before;
  }

  Pull finish() {
    if (!lines_.error().empty()) add_fault(lines_.error(), "");
    if (faults_.empty() && requests_ == 0) {
      add_fault(line_number_ == 0 ? "the trace is empty" : "the trace holds no request", "");
    }
    return faults_.empty() ? Pull::kEnd : Pull::kFault;
  }

  LineReader lines_;
  std::deque<std::string> read_ahead_;
  std::string current_;
  std::string name_;
  std::unique_ptr<LineParser> parser_;
  Diagnostics faults_;
  int line_number_ = 0;
  bool header_seen_ = false;
  std::int64_t requests_ = 0;
  std::int64_t skipped_ = 0;
  bool started_ = false;
  bool latest_set_ = false;
  std::chrono::nanoseconds origin_{0};
  std::chrono::nanoseconds latest_{0};
};

bool binary(std::string_view line) {
  for (const char c : line) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 && c != '\t') return true;
  }
  return false;
}

Diagnostic fault_in(const std::string& file, int line, std::string message) {
  Diagnostic fault;
  fault.where = {file, line, line > 0 ? 1 : 0};
  fault.message = std::move(message);
  return fault;
}

}  // namespace

Result<std::unique_ptr<RequestSource>> read_trace(std::unique_ptr<ByteSource> bytes,
                                                  std::string display_name, std::string_view format,
                                                  const config::TraceColumns& columns) {
  LineReader lines(std::move(bytes));
  std::deque<std::string> read_ahead;
  std::string_view line;
  while (read_ahead.size() < 2 && lines.next(line)) read_ahead.emplace_back(line);
  if (!lines.error().empty()) return fault_in(display_name, 0, lines.error());
  if (read_ahead.empty()) return fault_in(display_name, 0, "the trace is empty");
  if (binary(read_ahead.front())) {
    return fault_in(display_name, 1, "not a text file, nor gzip or zstd of one");
  }
  const std::string second = read_ahead.size() > 1 ? read_ahead[1] : std::string{};
  const FormatEntry* entry = nullptr;
  if (format == "auto") {
    for (const FormatEntry& candidate : formats()) {
      if (entry == nullptr && candidate.sniff(read_ahead.front(), second)) entry = &candidate;
    }
  } else {
    entry = find_entry(formats(), format);
  }
  if (entry == nullptr) {
    const std::vector<std::string> names = entry_names(formats());
    Diagnostic fault = fault_in(display_name, format == "auto" ? 1 : 0,
                                format == "auto" ? "no known trace format begins like this"
                                                 : fmt::format("unknown format \"{}\"", format));
    fault.nearest = format == "auto" ? "" : nearest_name(format, names);
    fault.allowed = fmt::format("{}", fmt::join(names, ", "));
    return fault;
  }
  return std::unique_ptr<RequestSource>(std::make_unique<TraceReader>(
      std::move(lines), std::move(read_ahead), std::move(display_name), entry->make(columns)));
}

}  // namespace orrery::traces
