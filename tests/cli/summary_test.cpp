#include "cli/summary.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace orrery::cli {
namespace {

using ::testing::HasSubstr;

TEST(RunJson, IsTheObjectOfTheDesignAndNothingElse) {
  const std::vector<sim::Metric> metrics = {{"a", 0.1, "s"},
                                            {"b", std::nan(""), "s"},
                                            {"c", std::numeric_limits<double>::infinity(), "s"}};
  const std::vector<std::string> notes = {"quote \" and \n newline"};
  const std::string text = run_json({"id", "na\"me", "serving", metrics, notes});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const auto parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed.size(), 5U);
  EXPECT_EQ(parsed["run_id"], "id");
  EXPECT_EQ(parsed["scenario"], "na\"me");
  EXPECT_EQ(parsed["kind"], "serving");
  EXPECT_EQ(parsed["metrics"]["a"], 0.1);
  EXPECT_TRUE(parsed["metrics"]["b"].is_null());
  EXPECT_TRUE(parsed["metrics"]["c"].is_null());
  EXPECT_EQ(parsed["notes"][0], notes[0]);
  EXPECT_EQ(parsed["notes"][1], "b is not a finite number");
  EXPECT_EQ(parsed["notes"].size(), 3U);
}

TEST(RunJson, WithoutMetricsIsStillWhole) {
  const auto parsed = nlohmann::json::parse(run_json({"", "", "", {}, {}}));
  EXPECT_TRUE(parsed["metrics"].is_object());
  EXPECT_TRUE(parsed["notes"].is_array());
}

TEST(MetricsText, PutsDistributionsInATableAndLosesNothing) {
  const std::vector<sim::Metric> metrics = {{"requests.completed", 19366, "count"},
                                            {"ttft_s.p50", 0.125, "s"},
                                            {"ttft_s.max", 0.25, "s"},
                                            {"gpu.busy", 0.5, "1"},
                                            {"brand.new", 7, "count"}};
  const std::string text = metrics_text(metrics, 0, false);
  EXPECT_THAT(text, HasSubstr("19,366"));
  EXPECT_THAT(text, HasSubstr("time to first token (TTFT)"));
  EXPECT_THAT(text, HasSubstr("50 %"));
  EXPECT_THAT(text, HasSubstr("brand.new"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("TPOT")));
}

TEST(NotesText, WrapsAndDisarms) {
  const std::vector<std::string> notes = {"one two three four five six", "\x1b[31m"};
  EXPECT_EQ(notes_text(notes, 20, false),
            "\nNotes\n  - one two three\n    four five six\n  - \\x1b[31m\n");
  EXPECT_EQ(notes_text({}, 20, false), "");
}

}  // namespace
}  // namespace orrery::cli
