#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

enum Slot : std::size_t { kArrival, kPrompt, kOutput, kSession, kTurn, kHashes, kBlock, kSlots };

class CsvParser final : public LineParser {
 public:
  explicit CsvParser(FieldNames names) : names_(std::move(names)), unit_(names_.arrival_unit_s) {}

  bool wants_header() const override { return true; }
  bool gives_turns() const override { return has_[kTurn]; }
  std::string_view skipped_what() const override { return "failed requests (no output tokens)"; }

  void header(std::string_view line, Diagnostics& faults) override {
    const CsvColumns columns(line);
    columns_ = columns.names().size();
    const auto place = [&](Slot slot, const std::string& name, bool needed) {
      if (name.empty()) return;
      const int index = needed ? columns.need(name, faults) : columns.find(name);
      if (index < 0) return;
      has_[slot] = true;
      const auto position = static_cast<std::size_t>(index);
      if (slots_.size() <= position) slots_.resize(position + 1, kSlots);
      slots_[position] = slot;
    };
    place(kPrompt, names_.prompt, true);
    place(kOutput, names_.output, true);
    place(kArrival, names_.arrival, names_.arrival_needed);
    place(kSession, names_.session, names_.session_needed);
    place(kTurn, names_.turn, false);
    place(kHashes, names_.block_hashes, names_.block_hashes_needed);
    place(kBlock, names_.hash_block_tokens_name, false);
  }

  Outcome parse(std::string_view line, Request& out, Diagnostic& fault) override {
    if (!split(line, fault) || !whole(line, kPrompt, names_.prompt, out.prompt_tokens, fault) ||
        !whole(line, kOutput, names_.output, out.output_tokens, fault)) {
      return Outcome::kFault;
    }
    if (names_.skip_empty_output && out.output_tokens == 0) return Outcome::kSkip;
    out.arrival = std::chrono::nanoseconds(0);
    if (has_[kArrival] && !read_arrival(line, out, fault)) return Outcome::kFault;
    if (has_[kSession]) out.session = session_id(cells_[kSession]);
    if (has_[kTurn] && !read_turn(line, out, fault)) return Outcome::kFault;
    if (has_[kHashes] && !read_hashes(line, out, fault)) return Outcome::kFault;
    return Outcome::kRequest;
  }

 private:
  // Fills cells_; a cell in quotes may hold commas.
  bool split(std::string_view line, Diagnostic& fault) {
    const char* at = line.data();
    const char* const end = at + line.size();
    std::size_t column = 0;
    for (;; ++column) {
      const char* const begin = at;
      if (at < end && *at == '"') {
        at = closing_quote(at + 1, end);
        if (at == nullptr) {
          fault.where.column = static_cast<int>(begin - line.data()) + 1;
          fault.message = "a quote that does not end";
          return false;
        }
      }
      const auto* comma =
          static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
      at = comma != nullptr ? comma : end;
      if (column < slots_.size() && slots_[column] != kSlots) {
        cells_[slots_[column]] = {begin, static_cast<std::size_t>(at - begin)};
      }
      if (at == end) break;
      ++at;
    }
    if (column + 1 == columns_) return true;
    fault.message = fmt::format("{} columns, the header has {}", column + 1, columns_);
    return false;
  }

  // Behind the quote that ends the cell; two quotes stand for one.
  static const char* closing_quote(const char* at, const char* end) {
    while (at < end) {
      const auto* quote =
          static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
      if (quote == nullptr) return nullptr;
      if (quote + 1 == end || quote[1] != '"') return quote + 1;
      at = quote + 2;
    }
    return nullptr;
  }

  bool refuse(std::string_view line, Slot slot, const std::string& name, const char* allowed,
              Diagnostic& fault) const {
    const std::string_view cell = cells_[slot];
    fault.where.column = static_cast<int>(cell.data() - line.data()) + 1;
    fault.message = fmt::format("{} is \"{}\"", name, excerpt(cell));
    fault.allowed = allowed;
    return false;
  }

  bool whole(std::string_view line, Slot slot, const std::string& name, std::int64_t& out,
             Diagnostic& fault) const {
    return parse_whole(cells_[slot], out) || refuse(line, slot, name, "a whole number", fault);
  }

  bool read_arrival(std::string_view line, Request& out, Diagnostic& fault) {
    const std::string_view text = cells_[kArrival];
    if (names_.timestamps ? timestamps_.parse(text, out.arrival)
                          : unit_.parse(text, out.arrival) || timestamps_.parse(text, out.arrival))
      return true;
    return refuse(line, kArrival, names_.arrival,
                  names_.timestamps ? "a date and time such as 2023-11-16 18:15:46.680"
                                    : "a number from 0 to 100 years, or a date and time",
                  fault);
  }

  bool read_turn(std::string_view line, Request& out, Diagnostic& fault) const {
    std::int64_t turn = 0;
    if (trimmed(cells_[kTurn]).empty()) return true;
    if (!whole(line, kTurn, names_.turn, turn, fault)) return false;
    constexpr std::int64_t kMostTurns = 1'000'000'000;
    if (turn < 0 || turn > kMostTurns) {
      return refuse(line, kTurn, names_.turn, "0 to 1000000000", fault);
    }
    out.turn = static_cast<std::int32_t>(turn);
    return true;
  }

  bool read_hashes(std::string_view line, Request& out, Diagnostic& fault) const {
    std::string_view rest = trimmed(cells_[kHashes]);
    if (rest.empty()) return true;
    out.hash_block_tokens = names_.hash_block_tokens;
    if (has_[kBlock]) {
      std::int64_t tokens = 0;
      if (!parse_whole(cells_[kBlock], tokens) || tokens < 1 || tokens > kMostTokens) {
        return refuse(line, kBlock, names_.hash_block_tokens_name, "1 to 1000000000", fault);
      }
      out.hash_block_tokens = static_cast<std::int32_t>(tokens);
    }
    while (!rest.empty()) {
      std::uint64_t id = 0;
      const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
      if (error != std::errc{}) {
        fault.where.column = static_cast<int>(rest.data() - line.data()) + 1;
        fault.message = fmt::format("{} holds \"{}\"", names_.block_hashes, excerpt(rest));
        fault.allowed = "whole numbers separated by spaces or ;";
        return false;
      }
      out.block_hashes.push_back(id);
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == ';')) rest.remove_prefix(1);
    }
    return true;
  }

  FieldNames names_;
  TimeUnit unit_;
  TimestampParser timestamps_;
  std::size_t columns_ = 0;
  std::vector<std::size_t> slots_;  // what each column is; kSlots: nothing we read
  std::array<bool, kSlots> has_{};
  std::array<std::string_view, kSlots> cells_;
};

}  // namespace

std::unique_ptr<LineParser> make_csv_parser(FieldNames names) {
  return std::make_unique<CsvParser>(std::move(names));
}

}  // namespace orrery::traces
