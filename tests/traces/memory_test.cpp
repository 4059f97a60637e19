// Traces are streamed: memory does not grow with their length.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support.hpp"
#include "traces/info.hpp"

// The sanitizers keep freed memory and shadows of all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORRERY_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORRERY_TEST_SANITIZED
#endif
#endif

namespace orrery::traces {
namespace {

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// A CSV trace of so many requests, made while it is read.
class EndlessCsv final : public ByteSource {
 public:
  explicit EndlessCsv(std::int64_t rows) : rows_(rows) {}
  std::size_t read(char* out, std::size_t size) override {
    while (pending_.size() < size && row_ < rows_) {
      pending_ += std::to_string(row_) + "," + std::to_string(1 + row_ % 5000) + "," +
                  std::to_string(1 + row_ % 700) + "," + std::to_string(row_ / 3) + "\n";
      ++row_;
    }
    const std::size_t count = std::min(size, pending_.size());
    std::copy_n(pending_.data(), count, out);
    pending_.erase(0, count);
    return count;
  }

 private:
  std::int64_t rows_;
  std::int64_t row_ = 0;
  std::string pending_ = "arrival_s,prompt_tokens,output_tokens,session\n";
};

config::Workload generated(std::int64_t requests) {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(requests);
  generator.mutable_arrivals()->set_rate(100);
  generator.mutable_prompt()->mutable_lognormal()->set_mean(1000);
  generator.mutable_output()->mutable_lognormal()->set_mean(200);
  return options;
}

// The first use of each path warms up; what comes after, many times longer, may add a few MiB (the
// tables of distinct ids are not full yet) but nothing near 100 bytes a request.
TEST(Memory, DoesNotGrowWithTheLengthOfATrace) {
#ifdef ORRERY_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  constexpr std::int64_t kShort = 20'000;
  constexpr std::int64_t kLong = 1'500'000;
  long before = 0;
  for (const std::int64_t requests : {kShort, kLong}) {
    auto source = make_source(generated(requests), 1);
    EXPECT_EQ(inspect(**source)->requests, requests);
    auto csv = read_trace(std::make_unique<EndlessCsv>(requests), "t", "auto", {});
    EXPECT_EQ(inspect(**csv)->requests, requests);
    if (requests == kShort) before = peak_kib();
  }
  constexpr long kAllowedKib = 40L << 10U;
  EXPECT_LT(peak_kib() - before, kAllowedKib);
}

}  // namespace
}  // namespace orrery::traces
