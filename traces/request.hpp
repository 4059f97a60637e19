#pragma once
// A request trace as the simulator pulls it: one request at a time, in order of arrival, never held
// whole. Readers (readers/), generators (generators/) and transforms (transform.hpp) all are
// sources.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "models/result.hpp"

namespace orrery::traces {

/// One request. Reused between pulls so that its vectors keep their memory.
struct Request {
  std::int64_t id = 0;                  ///< 0-based position in the source.
  std::chrono::nanoseconds arrival{0};  ///< Since the trace's start; never decreases.
  std::int64_t prompt_tokens = 0;       ///< >= 1.
  std::int64_t output_tokens = 0;       ///< >= 1.
  std::int64_t session = -1;            ///< Conversation that it is a turn of; -1: none.
  std::int32_t turn = 0;                ///< 0-based turn within the session.
  /// Identities of the blocks of `hash_block_tokens` tokens from the prompt's start, chained: equal
  /// id means equal content and equal prefix. They may stop before the prompt's end (what follows
  /// is shared with nobody) or go on into the output (a later turn holds it). Empty when the trace
  /// does not know.
  std::vector<std::uint64_t> block_hashes;
  std::int32_t hash_block_tokens = 0;
};

enum class Pull : std::uint8_t { kRequest, kEnd, kFault };

/// A stream of requests.
class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Fills `out` and returns kRequest, or kEnd, or kFault when the input is wrong (then faults()
  /// holds everything found so far; the source may not be pulled again).
  virtual Pull next(Request& out) = 0;
  virtual const Diagnostics& faults() const = 0;
  /// Number of requests that will come, if it is known without reading everything; else -1.
  virtual std::int64_t expected_requests() const { return -1; }
  /// Sentences on what a user should know of the requests so far, such as rows that were left out.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace orrery::traces
