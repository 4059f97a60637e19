#include "analysis/query/row_format.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace orrery::analysis {
namespace {

TEST(CsvField, QuotesOnlyWhereItMust) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(" outer "), "\" outer \"");
  EXPECT_EQ(csv_field(""), "\"\"");
}

TEST(CsvRow, TellsNullFromEmptyText) {
  EXPECT_EQ(csv_row({Value{}, Value{std::string()}, Value{std::int64_t{-3}}, Value{0.1}}),
            ",\"\",-3,0.1");
}

TEST(JsonRow, ReadsBackAsTheSameValues) {
  const std::string hostile = "quote\" back\\slash \x01 \n tab\t end";
  const std::string line =
      json_row({"text", "int", "real", "none", "inf", "blob"},
               {hostile, std::numeric_limits<std::int64_t>::max(), 0.1, std::monostate{},
                std::numeric_limits<double>::infinity(), Blob{"00ff"}});
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["text"], hostile);
  EXPECT_EQ(parsed["int"], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed["real"], 0.1);
  EXPECT_TRUE(parsed["none"].is_null());
  EXPECT_TRUE(parsed["inf"].is_null());
  EXPECT_EQ(parsed["blob"], "x'00ff'");
}

TEST(JsonString, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(nlohmann::json::parse(json_string("a\xff")), "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace orrery::analysis
