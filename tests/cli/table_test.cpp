#include "cli/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/terminal.hpp"

namespace orrery::cli {
namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    widest = std::max(widest, display_width(line));
  return widest;
}

TEST(TextTable, AlignsColumns) {
  TextTable table({"name", "n"});
  table.align(1, Align::kRight);
  table.add({"a", "1"});
  table.add({"bbbbbb", "100"});
  EXPECT_EQ(table.text(0), "name      n\n-----------\na         1\nbbbbbb  100\n");
}

TEST(TextTable, CutsTheWidestTextToFit) {
  TextTable table({"text", "n"});
  table.align(1, Align::kRight);
  table.add({std::string(200, 'x'), "123456"});
  const std::string text = table.text(40);
  EXPECT_LE(widest_line(text), 40U);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_NE(text.find("123456"), std::string::npos);
}

TEST(TextTable, ShowsAFieldALineWhereNumbersDoNotFit) {
  TextTable table({"first", "second", "third"});
  for (std::size_t i = 0; i < 3; ++i) table.align(i, Align::kRight);
  table.add({"1234567890", "2345678901", "3456789012"});
  EXPECT_EQ(table.text(20), "first   1234567890\nsecond  2345678901\nthird   3456789012\n");
}

TEST(TextTable, WrapsTextWhereAsked) {
  TextTable table({"name", "text"});
  table.wrap_text();
  table.add({"a", "one two three four five"});
  EXPECT_EQ(table.text(18),
            "name  text\n------------------\na     one two\n      three four\n      five\n");
  const std::string narrow = table.text(20);
  EXPECT_LE(widest_line(narrow), 20U);
}

TEST(TextTable, NeverPrintsControlCharacters) {
  TextTable table({"a\nb"});
  table.add({"\x1b[2J"});
  EXPECT_EQ(table.text(0), "a\\x0ab\n-------\n\\x1b[2J\n");
}

}  // namespace
}  // namespace orrery::cli
