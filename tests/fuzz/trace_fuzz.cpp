// Any bytes, read by any format (the first byte chooses) or by the one that sniffs it, are requests
// in order with sane figures, or faults; never both after a fault.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenarios/scenario.pb.h"
#include "traces/input.hpp"
#include "traces/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::traces;
  if (size == 0) return 0;
  const std::size_t choice = data[0] % (formats().size() + 1);
  const std::string format =
      choice == formats().size() ? "auto" : std::string(formats()[choice].name);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto source = read_trace(open_memory(text), "fuzz", format, orrery::config::TraceColumns{});
  if (!source) return source.faults().empty() ? std::abort(), 0 : 0;
  Request request;
  std::chrono::nanoseconds before{0};
  for (;;) {
    const Pull pull = (*source)->next(request);
    if (pull == Pull::kEnd) return 0;
    if (pull == Pull::kFault) return (*source)->faults().empty() ? std::abort(), 0 : 0;
    const bool sane = request.arrival >= before && request.prompt_tokens >= 1 &&
                      request.output_tokens >= 1 && request.prompt_tokens <= kMostTokens;
    if (!sane) std::abort();
    before = request.arrival;
  }
}
