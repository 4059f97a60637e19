// Every trace reader on any bytes: the first byte chooses the format (auto among them) and whether
// named columns are given; the rest is the file. What comes out must keep the promises of Request.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenarios/scenario.pb.h"
#include "traces/info.hpp"
#include "traces/reader.hpp"
#include "traces/workload_source.hpp"

namespace {

using namespace orrery;

void require(bool promise) {
  if (!promise) std::abort();
}

/// Checks each request on its way to inspect().
class Checked final : public traces::RequestSource {
 public:
  explicit Checked(traces::RequestSource& inner) : inner_(inner) {}
  traces::Pull next(traces::Request& out) override {
    const traces::Pull pull = inner_.next(out);
    if (pull == traces::Pull::kFault) require(!inner_.faults().empty());
    if (pull != traces::Pull::kRequest) return pull;
    require(out.id == count_++);
    require(out.arrival >= last_ && out.arrival.count() >= 0);
    last_ = out.arrival;
    require(out.prompt_tokens >= 1 && out.prompt_tokens <= traces::kMostTokens);
    require(out.output_tokens >= 1 && out.output_tokens <= traces::kMostTokens);
    require(out.session >= -1 && out.turn >= 0);
    require(out.block_hashes.empty() || out.hash_block_tokens >= 1);
    traces::Request cut = out;
    traces::clip_lengths(cut, 100, 50, 120);
    require(cut.prompt_tokens >= 1 && cut.output_tokens >= 1);
    require(cut.prompt_tokens + cut.output_tokens <= 120);
    return pull;
  }
  const Diagnostics& faults() const override { return inner_.faults(); }

 private:
  traces::RequestSource& inner_;
  std::int64_t count_ = 0;
  std::chrono::nanoseconds last_{0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = traces::formats();
  const std::size_t choice = data[0] % (formats.size() + 1);
  const std::string_view format = choice == formats.size() ? "auto" : formats[choice].name;
  config::TraceColumns columns;
  if ((data[0] & 0x80U) != 0) {
    columns.set_arrival("a");
    columns.set_arrival_unit(0.3);
    columns.set_prompt("p");
    columns.set_output("o");
    columns.set_session("s");
    columns.set_block_hashes("b");
    columns.set_hash_block_tokens(16);
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto source = traces::read_trace(traces::open_memory(text), "fuzz", format, columns);
  if (!source) {
    require(!source.faults().empty());
    return 0;
  }
  Checked checked(**source);
  const auto info = traces::inspect(checked);
  require(info.ok() ? info->requests > 0 : !info.faults().empty());
  require(info.ok() || info.faults().size() <= traces::kMostFaults + 2);
  return 0;
}
