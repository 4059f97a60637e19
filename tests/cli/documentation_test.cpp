// docs/metrics.md and docs/commands.md have to name what the program offers.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "cli/command.hpp"
#include "sim/catalogue.hpp"

namespace orrery::cli {
namespace {

using ::testing::HasSubstr;

std::string document(std::string_view name) {
  std::ifstream file(fmt::format("{}/docs/{}", ORRERY_SOURCE_DIR, name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Documentation, DefinesEveryMetricWithItsUnit) {
  const std::string text = document("metrics.md");
  for (const sim::MetricInfo& metric : sim::metrics()) {
    const std::string_view unit = metric.unit == "1" ? "share" : metric.unit;
    EXPECT_THAT(text, HasSubstr(fmt::format("| `{}` | {} |", metric.name, unit)));
  }
}

TEST(Documentation, ShowsEveryCommand) {
  const std::string text = document("commands.md");
  for (const Command& command : commands()) {
    EXPECT_THAT(text, HasSubstr(fmt::format("## orrery {}\n", command.name)));
  }
}

}  // namespace
}  // namespace orrery::cli
