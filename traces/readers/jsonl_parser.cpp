#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "models/registry.hpp"
#include "traces/readers/fields.hpp"
#include "traces/readers/json_line.hpp"

namespace orrery::traces {
namespace {

class JsonlParser final : public LineParser {
 public:
  explicit JsonlParser(FieldNames names) : names_(std::move(names)), unit_(names_.arrival_unit_s) {}

  bool gives_turns() const override { return turn_given_; }
  std::string_view skipped_what() const override { return "failed requests (no output tokens)"; }

  Outcome parse(std::string_view line, Request& out, Diagnostic& fault) override {
    if (!json_.parse(line)) {
      fault.where.column = static_cast<int>(json_.position()) + 1;
      fault.message = fmt::format("not valid JSON: {}", json_.error());
      fault.allowed = "one object a line";
      return Outcome::kFault;
    }
    text_ = line;
    if (!whole(names_.prompt, true, out.prompt_tokens, fault) ||
        !whole(names_.output, true, out.output_tokens, fault)) {
      return Outcome::kFault;
    }
    if (names_.skip_empty_output && out.output_tokens == 0) return Outcome::kSkip;
    return read_arrival(out, fault) && read_session(out, fault) && read_hashes(out, fault)
               ? Outcome::kRequest
               : Outcome::kFault;
  }

 private:
  // The value of `name`; nullptr where it is absent, with a fault if it is needed. null is absent.
  const JsonLine::Member* member(const std::string& name, bool needed, Diagnostic& fault) const {
    if (name.empty()) return nullptr;
    const JsonLine::Member* found = json_.find(name);
    if (found != nullptr && (needed || found->value != "null")) return found;
    if (!needed) return nullptr;
    std::vector<std::string> keys;
    constexpr std::size_t kMostShown = 12;
    for (const JsonLine::Member& present : json_.members()) {
      if (keys.size() < kMostShown) keys.push_back(excerpt(present.key));
    }
    fault.message = fmt::format("no key \"{}\"", excerpt(name));
    fault.nearest = nearest_name(name, keys);
    fault.allowed = fmt::format("{}", fmt::join(keys, ", "));
    return nullptr;
  }

  bool refuse(const std::string& name, std::string_view value, std::string allowed,
              Diagnostic& fault) const {
    fault.where.column = static_cast<int>(value.data() - text_.data()) + 1;
    fault.message = fmt::format("{} is {}", name, excerpt(value));
    fault.allowed = std::move(allowed);
    return false;
  }

  // Leaves `out` alone where the key is absent and not needed.
  bool whole(const std::string& name, bool needed, std::int64_t& out, Diagnostic& fault) const {
    const JsonLine::Member* found = member(name, needed, fault);
    if (found == nullptr) return !needed;
    if (found->value.front() != '"' && parse_whole(found->value, out)) return true;
    return refuse(name, found->value, "a whole number", fault);
  }

  bool read_arrival(Request& out, Diagnostic& fault) {
    out.arrival = std::chrono::nanoseconds(0);
    const JsonLine::Member* found = member(names_.arrival, names_.arrival_needed, fault);
    if (found == nullptr) return !names_.arrival_needed;
    const bool text = found->value.front() == '"';
    if (text ? timestamps_.parse(found->value, out.arrival)
             : unit_.parse(found->value, out.arrival)) {
      return true;
    }
    return refuse(names_.arrival, found->value, "a number from 0 to 100 years, or a date and time",
                  fault);
  }

  bool read_session(Request& out, Diagnostic& fault) {
    const JsonLine::Member* found = member(names_.session, names_.session_needed, fault);
    if (found == nullptr) return !names_.session_needed;
    out.session = session_id(found->value);
    std::int64_t turn = -1;
    if (!whole(names_.turn, false, turn, fault)) return false;
    constexpr std::int64_t kMostTurns = 1'000'000'000;
    turn_given_ = turn >= 0 && turn <= kMostTurns;
    if (turn_given_) out.turn = static_cast<std::int32_t>(turn);
    return true;
  }

  bool read_hashes(Request& out, Diagnostic& fault) const {
    const JsonLine::Member* found = member(names_.block_hashes, names_.block_hashes_needed, fault);
    if (found == nullptr) return !names_.block_hashes_needed;
    if (found->value.front() != '[') {
      return refuse(names_.block_hashes, found->value, "a list of ids", fault);
    }
    std::string_view rest = found->value.substr(1, found->value.size() - 2);
    if (rest.find_first_not_of(" \t") == std::string_view::npos) return true;
    std::int64_t tokens = names_.hash_block_tokens;
    if (!whole(names_.hash_block_tokens_name, false, tokens, fault)) return false;
    if (tokens < 1 || tokens > kMostTokens) {
      const JsonLine::Member* named = json_.find(names_.hash_block_tokens_name);
      const std::string_view value = named != nullptr ? named->value : found->value;
      return refuse(names_.hash_block_tokens_name, value, fmt::format("1 to {}", kMostTokens),
                    fault);
    }
    out.hash_block_tokens = static_cast<std::int32_t>(tokens);
    return read_ids(rest, out, fault);
  }

  // "1, 2, 3" or "a", "b": the text is valid JSON, but may hold other things than ids.
  bool read_ids(std::string_view rest, Request& out, Diagnostic& fault) const {
    const char* at = rest.data();
    const char* const end = at + rest.size();
    while (at < end) {
      if (*at == ' ' || *at == '\t' || *at == ',') {
        ++at;
        continue;
      }
      const char* const begin = at;
      std::uint64_t id = 0;
      if (*at == '"') {
        ++at;
        while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
        at = at < end ? at + 1 : end;
        id = text_hash({begin, static_cast<std::size_t>(at - begin)});
      } else {
        const auto [stop, error] = std::from_chars(at, end, id);
        const bool ended = stop == end || *stop == ',' || *stop == ' ' || *stop == '\t';
        if (error != std::errc{} || !ended) {
          return refuse(names_.block_hashes, {begin, static_cast<std::size_t>(end - begin)},
                        "whole numbers from 0, or strings", fault);
        }
        at = stop;
      }
      out.block_hashes.push_back(id);
    }
    return true;
  }

  FieldNames names_;
  TimeUnit unit_;
  TimestampParser timestamps_;
  JsonLine json_;
  std::string_view text_;
  bool turn_given_ = false;
};

}  // namespace

std::unique_ptr<LineParser> make_jsonl_parser(FieldNames names) {
  return std::make_unique<JsonlParser>(std::move(names));
}

}  // namespace orrery::traces
