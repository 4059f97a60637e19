#include "traces/reader.hpp"

#include <fmt/format.h>

#include <climits>
#include <deque>
#include <unordered_map>
#include <utility>

#include "models/registry.hpp"
#include "scenarios/scenario.pb.h"
#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

/// Numbers the turns of sessions. Forgets the sessions that were quiet longest, so that memory is
/// bounded: two generations, of which the older is dropped when the younger is full.
class TurnCounter {
 public:
  std::int32_t next(std::int64_t session) {
    constexpr std::size_t kGeneration = std::size_t{1} << 17U;
    auto found = young_.find(session);
    if (found == young_.end()) {
      if (young_.size() >= kGeneration) {
        old_ = std::move(young_);
        young_.clear();
      }
      const auto before = old_.find(session);
      found = young_.emplace(session, before == old_.end() ? 0 : before->second).first;
    }
    return found->second < INT_MAX ? found->second++ : INT_MAX;
  }

 private:
  std::unordered_map<std::int64_t, std::int32_t> young_;
  std::unordered_map<std::int64_t, std::int32_t> old_;
};

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
      if (trimmed(line).empty()) continue;
      if (read_line(line, out) && faults_.empty()) {
        out.id = requests_++;
        return Pull::kRequest;
      }
      if (faults_.size() >= kMostFaults) break;
    }
    return finish();
  }

  const Diagnostics& faults() const override { return faults_; }

  std::vector<std::string> notes() const override {
    if (skipped_ == 0) return {};
    return {fmt::format("{}: {} {} were left out", name_, skipped_, parser_->skipped_what())};
  }

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
    out.session = -1;
    out.turn = 0;
    out.block_hashes.clear();
    out.hash_block_tokens = 0;
    switch (parser_->parse(line, out, scratch_)) {
      case LineParser::Outcome::kSkip:
        ++skipped_;
        return false;
      case LineParser::Outcome::kFault:
        add_fault(std::exchange(scratch_, {}));
        return false;
      case LineParser::Outcome::kRequest:
        break;
    }
    if (!check(out)) return false;
    if (out.session >= 0 && !parser_->gives_turns()) out.turn = turns_.next(out.session);
    return true;
  }

  bool check(Request& out) {
    const std::size_t before = faults_.size();
    for (const auto& [tokens, what] :
         {std::pair(out.prompt_tokens, "prompt"), std::pair(out.output_tokens, "output")}) {
      if (tokens < 1 || tokens > kMostTokens) {
        add_fault(fmt::format("{} {} tokens", tokens, what), fmt::format("1 to {}", kMostTokens));
      }
    }
    if (!started_) origin_ = latest_ = out.arrival;
    started_ = true;
    if (out.arrival < latest_) {
      const double early = static_cast<double>((latest_ - out.arrival).count()) * 1e-9;
      add_fault(fmt::format("arrives {:.6g} s before the request above it", early),
                "arrivals in order; sort the file by its time column");
    }
    latest_ = out.arrival;
    out.arrival -= origin_;
    if (!out.block_hashes.empty()) check_blocks(out);
    return faults_.size() == before;
  }

  void check_blocks(const Request& out) {
    const std::int64_t size = out.hash_block_tokens;
    const std::int64_t blocks = (out.prompt_tokens + out.output_tokens + size - 1) / size;
    if (static_cast<std::int64_t>(out.block_hashes.size()) <= blocks) return;
    add_fault(fmt::format("{} block ids for {} prompt and {} output tokens",
                          out.block_hashes.size(), out.prompt_tokens, out.output_tokens),
              fmt::format("at most {}, at {} tokens a block", blocks, size));
  }

  Pull finish() {
    if (finished_) return faults_.empty() ? Pull::kEnd : Pull::kFault;
    finished_ = true;
    if (faults_.size() >= kMostFaults) {
      add_fault(fmt::format("stopped at {} faults; what follows was not read", faults_.size()), "");
    } else if (!lines_.error().empty()) {
      add_fault(lines_.error(), "");
    }
    if (faults_.empty() && requests_ == 0) {
      add_fault(skipped_ > 0 ? fmt::format("the trace holds only {}", parser_->skipped_what())
                             : "the trace holds no request",
                "");
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
  bool finished_ = false;
  TurnCounter turns_;
  Diagnostic scratch_;
  std::chrono::nanoseconds origin_{0};
  std::chrono::nanoseconds latest_{0};
};

bool binary(std::string_view line) {
  constexpr std::string_view kUtf16Marks("\xff\xfe\xff", 3);
  if (kUtf16Marks.find(line.substr(0, 2)) != std::string_view::npos && line.size() >= 2)
    return true;
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

const FormatEntry* choose_format(std::string_view format, const config::TraceColumns& columns,
                                 const std::string& first, const std::string& second) {
  const bool named = columns.has_arrival() || columns.has_prompt() || columns.has_output() ||
                     columns.has_session() || columns.has_block_hashes();
  if (format == "auto" && named) format = first.front() == '{' ? "jsonl" : "csv";
  if (format != "auto") return find_entry(formats(), format);
  for (const FormatEntry& candidate : formats()) {
    if (candidate.sniff(first, second)) return &candidate;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<RequestSource>> read_trace(std::unique_ptr<ByteSource> bytes,
                                                  std::string display_name, std::string_view format,
                                                  const config::TraceColumns& columns) {
  LineReader lines(std::move(bytes));
  std::deque<std::string> read_ahead;
  std::string_view line;
  while (read_ahead.size() < 2 && lines.next(line)) read_ahead.emplace_back(line);
  if (read_ahead.empty()) {
    return fault_in(display_name, 0, lines.error().empty() ? "the trace is empty" : lines.error());
  }
  if (binary(read_ahead.front())) {
    return fault_in(display_name, 1, "not a text file, nor gzip or zstd of one");
  }
  const std::string second = read_ahead.size() > 1 ? read_ahead[1] : std::string{};
  const FormatEntry* entry = choose_format(format, columns, read_ahead.front(), second);
  if (entry == nullptr) {
    const std::vector<std::string> names = entry_names(formats());
    Diagnostic fault =
        fault_in(display_name, format == "auto" ? 1 : 0,
                 format == "auto" ? "no known trace format begins like this"
                                  : fmt::format("unknown format \"{}\"", excerpt(format)));
    fault.nearest = format == "auto" ? "" : nearest_name(format, names);
    fault.allowed = fmt::format("{}", fmt::join(names, ", "));
    return fault;
  }
  return std::unique_ptr<RequestSource>(std::make_unique<TraceReader>(
      std::move(lines), std::move(read_ahead), std::move(display_name), entry->make(columns)));
}

}  // namespace orrery::traces
