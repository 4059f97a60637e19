#include "models/quantity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace orrery {
namespace {

TEST(ParseQuantity, ReadsUnitsIntoTheBaseUnit) {
  const std::vector<std::tuple<const char*, Dimension, double>> cases{
      {"10ms", Dimension::kDuration, 0.01},
      {"1.5 h", Dimension::kDuration, 5400},
      {"250us", Dimension::kDuration, 250e-6},
      {"80GiB", Dimension::kBytes, 85899345920.0},
      {"80 GB", Dimension::kBytes, 80e9},
      {"400Gbps", Dimension::kBandwidth, 50e9},
      {"3.35TB/s", Dimension::kBandwidth, 3.35e12},
      {"989TFLOP/s", Dimension::kFlops, 989e12},
      {"90%", Dimension::kFraction, 0.9},
      {"0.9", Dimension::kFraction, 0.9},
      {"300/min", Dimension::kRate, 5},
      {"$2.50", Dimension::kMoney, 2.5},
      {"700W", Dimension::kPower, 700},
      {"8k", Dimension::kNone, 8000},
      {"8_192", Dimension::kNone, 8192},
      {"1e3", Dimension::kNone, 1000},
      {"-3", Dimension::kNone, -3},
  };
  for (const auto& [text, dimension, value] : cases) {
    const Result<double> parsed = parse_quantity(text, dimension);
    ASSERT_TRUE(parsed) << text;
    EXPECT_DOUBLE_EQ(*parsed, value) << text;
  }
}

TEST(ParseQuantity, RefusesWhatIsNoFiniteNumberWithAKnownUnit) {
  for (const char* text : {"", " ", "fast", "nan", "inf", "-inf", "1e999", "10parsecs", "--3",
                           "1..2", "e", ".", "0x10", "1 2"}) {
    EXPECT_FALSE(parse_quantity(text, Dimension::kDuration)) << text;
  }
  const Result<double> unit = parse_quantity("10mss", Dimension::kDuration);
  ASSERT_FALSE(unit);
  EXPECT_EQ(unit.faults().front().nearest, "ms");
}

TEST(FormatQuantity, IsReadBackToTheSameNumber) {
  for (const Dimension dimension :
       {Dimension::kNone, Dimension::kFraction, Dimension::kDuration, Dimension::kBytes,
        Dimension::kBandwidth, Dimension::kFlops, Dimension::kRate, Dimension::kPower}) {
    for (const double value : {0.0, 1.0, 0.01, 1.0 / 3.0, 85899345920.0, 123456789.125, 5e-7,
                               3600.0, 0.1, 2.5e13, -4.0}) {
      const std::string text = format_quantity(value, dimension);
      const Result<double> again = parse_quantity(text, dimension);
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(*again, value) << text;
    }
  }
  EXPECT_EQ(format_quantity(0.01, Dimension::kDuration), "10ms");
  EXPECT_EQ(format_quantity(85899345920.0, Dimension::kBytes), "80GiB");
}

TEST(Humanize, KeepsFourDigitsInTheUnitThatSuits) {
  EXPECT_EQ(humanize(0.0012345, Dimension::kDuration), "1.234 ms");
  EXPECT_EQ(humanize(90.0, Dimension::kDuration), "90 s");
  EXPECT_EQ(humanize(3501.0, Dimension::kDuration), "58.35 min");
  EXPECT_EQ(humanize(85899345920.0, Dimension::kBytes), "80 GiB");
  EXPECT_EQ(humanize(450e9, Dimension::kBandwidth), "450 GB/s");
  EXPECT_EQ(humanize(0.25, Dimension::kFraction), "25.0 %");
}

}  // namespace
}  // namespace orrery
