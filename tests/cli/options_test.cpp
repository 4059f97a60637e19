#include "cli/options.hpp"

#include <gmock/gmock.h>

namespace orrery::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const CommandSpec kSpec = {"orrery thing FILE [options]",
                           "Does a thing.",
                           {{"output,o", "FILE", "Where to write."},
                            {"set", "P=V", "Change a field.", true},
                            {"quiet", "", "Say nothing."}},
                           {"file"},
                           false,
                           {"orrery thing x"}};

std::string fault_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_arguments(kSpec, arguments);
  return parsed.ok() ? std::string() : to_string(parsed.faults());
}

TEST(ParseArguments, TakesOptionsInEveryUsualForm) {
  const auto parsed =
      parse_arguments(kSpec, {"in.yaml", "-o", "a", "--set=x=1", "--set", "y=2", "--quiet"});
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.faults());
  EXPECT_EQ(parsed->value("file"), "in.yaml");
  EXPECT_EQ(parsed->value("output"), "a");
  EXPECT_THAT(parsed->values("set"), ElementsAre("x=1", "y=2"));
  EXPECT_TRUE(parsed->has("quiet"));
  EXPECT_FALSE(parsed->has("help"));
}

TEST(ParseArguments, ValuesMayBeginWithADashAfterAnEqualsSign) {
  const auto parsed = parse_arguments(kSpec, {"--set=-x=-1", "--", "-file"});
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.faults());
  EXPECT_THAT(parsed->values("set"), ElementsAre("-x=-1"));
  EXPECT_EQ(parsed->value("file"), "-file");
}

TEST(ParseArguments, NamesTheNearestOption) {
  EXPECT_THAT(fault_of({"--outptu=x"}), HasSubstr("did you mean \"--output\""));
  EXPECT_THAT(fault_of({"--out"}), HasSubstr("--output"));
}

TEST(ParseArguments, RefusesWhatItCannotUse) {
  EXPECT_THAT(fault_of({"a", "b"}), HasSubstr("unexpected argument b"));
  EXPECT_THAT(fault_of({"-o", "a", "-o", "b"}), HasSubstr("more than once"));
  EXPECT_THAT(fault_of({"--output"}), HasSubstr("output"));
  EXPECT_NE(fault_of({"--quiet=1"}), "");
}

TEST(HelpText, ListsOptionsAndExamples) {
  const std::string text = help_text(kSpec);
  EXPECT_THAT(text, HasSubstr("-o, --output FILE  Where to write."));
  EXPECT_THAT(text, HasSubstr("--help"));
  EXPECT_THAT(text, HasSubstr("orrery thing x"));
}

}  // namespace
}  // namespace orrery::cli
