#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

// A text id becomes a number that tells it from others (FNV-1a); whole numbers stay.
std::int64_t session_id(std::string_view text) {
  std::int64_t number = 0;
  if (parse_whole(text, number) && number >= 0) return number;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return static_cast<std::int64_t>(hash >> 1U);
}

class CsvParser final : public LineParser {
 public:
  explicit CsvParser(CsvLayout layout) : layout_(std::move(layout)) {}

  bool wants_header() const override { return true; }

  void header(std::string_view line, Diagnostics& faults) override {
    const CsvColumns columns(line);
    columns_ = columns.names().size();
    prompt_ = columns.need(layout_.prompt, faults);
    output_ = columns.need(layout_.output, faults);
    if (!layout_.arrival.empty()) {
      arrival_ = layout_.arrival_needed ? columns.need(layout_.arrival, faults)
                                        : columns.find(layout_.arrival);
    }
    if (!layout_.session.empty()) session_ = columns.need(layout_.session, faults);
    if (!layout_.block_hashes.empty()) hashes_ = columns.need(layout_.block_hashes, faults);
  }

  Outcome parse(std::string_view line, Request& out, Diagnostic& fault) override {
    split_cells(line, cells_);
    if (cells_.size() != columns_) {
      fault.message = fmt::format("{} columns, the header has {}", cells_.size(), columns_);
      return Outcome::kFault;
    }
    if (!whole(line, prompt_, layout_.prompt, out.prompt_tokens, fault) ||
        !whole(line, output_, layout_.output, out.output_tokens, fault)) {
      return Outcome::kFault;
    }
    if (layout_.skip_empty_output && out.output_tokens == 0) return Outcome::kSkip;
    out.arrival = std::chrono::nanoseconds(0);
    if (arrival_ >= 0 && !read_arrival(line, out, fault)) return Outcome::kFault;
    if (session_ >= 0) out.session = session_id(trimmed(cell(session_)));
    if (hashes_ >= 0 && !read_hashes(line, out, fault)) return Outcome::kFault;
    return Outcome::kRequest;
  }

 private:
  std::string_view cell(int index) const { return cells_[static_cast<std::size_t>(index)]; }

  void place(std::string_view line, int index, Diagnostic& fault) const {
    fault.where.column = static_cast<int>(cell(index).data() - line.data()) + 1;
  }

  bool whole(std::string_view line, int index, const std::string& name, std::int64_t& out,
             Diagnostic& fault) const {
    if (parse_whole(cell(index), out)) return true;
    place(line, index, fault);
    fault.message = fmt::format("{} is \"{}\"", name, cell(index).substr(0, 40));
    fault.allowed = "a whole number";
    return false;
  }

  bool read_arrival(std::string_view line, Request& out, Diagnostic& fault) const {
    const std::string_view text = cell(arrival_);
    if (layout_.timestamps ? parse_timestamp(text, out.arrival)
                           : parse_seconds(text, layout_.arrival_unit_s, out.arrival)) {
      return true;
    }
    place(line, arrival_, fault);
    fault.message = fmt::format("{} is \"{}\"", layout_.arrival, text.substr(0, 40));
    fault.allowed = layout_.timestamps ? "a date and time such as 2023-11-16 18:15:46.680"
                                       : "a number within 100 years";
    return false;
  }

  bool read_hashes(std::string_view line, Request& out, Diagnostic& fault) const {
    std::string_view rest = trimmed(cell(hashes_));
    out.hash_block_tokens = layout_.hash_block_tokens;
    while (!rest.empty()) {
      std::uint64_t id = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
      if (error != std::errc{}) {
        place(line, hashes_, fault);
        fault.message = fmt::format("{} is no list of block ids", layout_.block_hashes);
        fault.allowed = "whole numbers separated by spaces or ;";
        return false;
      }
      out.block_hashes.push_back(id);
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == ';')) rest.remove_prefix(1);
    }
    return true;
  }

  CsvLayout layout_;
  std::size_t columns_ = 0;
  int arrival_ = -1;
  int prompt_ = -1;
  int output_ = -1;
  int session_ = -1;
  int hashes_ = -1;
  std::vector<std::string_view> cells_;
};

}  // namespace

std::unique_ptr<LineParser> make_csv_parser(CsvLayout layout) {
  return std::make_unique<CsvParser>(std::move(layout));
}

}  // namespace orrery::traces
