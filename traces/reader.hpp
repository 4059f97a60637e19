#pragma once
// What the readers of recorded traces share: lines in, requests out, faults with their place. A
// format is one file in readers/ with a LineParser and an Entry.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/input.hpp"
#include "traces/request.hpp"

namespace orrery::config {
class TraceColumns;
}

namespace orrery::traces {

/// Turns one line into a request.
class LineParser {
 public:
  enum class Outcome : std::uint8_t { kRequest, kSkip, kFault };
  virtual ~LineParser() = default;
  /// The first line, if the format has a header. Faults go to `faults`.
  virtual bool wants_header() const { return false; }
  virtual void header(std::string_view /*line*/, Diagnostics& /*faults*/) {}
  /// Whether the lines tell which turn of its session a request is; else turns are counted.
  virtual bool gives_turns() const { return false; }
  /// What kSkip leaves out, in the plural.
  virtual std::string_view skipped_what() const { return "rows"; }
  /// Fills arrival (on the trace's own clock), lengths, session and hashes; on kFault sets message,
  /// allowed and column of `fault`.
  virtual Outcome parse(std::string_view line, Request& out, Diagnostic& fault) = 0;
};

struct FormatEntry {
  std::string_view name;
  std::string_view help;
  std::string_view source;  ///< Who publishes traces of this format.
  /// Whether the first two lines look like it.
  bool (*sniff)(std::string_view first, std::string_view second) = nullptr;
  std::unique_ptr<LineParser> (*make)(const config::TraceColumns& columns) = nullptr;
};

/// All formats; those that are told apart most surely come first.
std::span<const FormatEntry> formats();

/// A source over the lines of `bytes`. `format` is a registered name or "auto", which looks at the
/// first two lines, or takes `csv` or `jsonl` where `columns` names any. Arrivals are made to start
/// at zero; requests out of order, of no or too many tokens, with more block ids than blocks are
/// faults. After the first fault the rest is read for further ones, up to kMostFaults; a last one
/// then says that reading stopped. Memory is bounded: one line, and the turns of the last few
/// hundred thousand sessions (an older session that comes back is counted from turn 0).
Result<std::unique_ptr<RequestSource>> read_trace(std::unique_ptr<ByteSource> bytes,
                                                  std::string display_name, std::string_view format,
                                                  const config::TraceColumns& columns);

inline constexpr std::size_t kMostFaults = 20;
inline constexpr std::int64_t kMostTokens = 1'000'000'000;

}  // namespace orrery::traces
