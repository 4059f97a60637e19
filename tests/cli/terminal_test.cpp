#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace orrery::cli {
namespace {

TEST(Printable, DisarmsEscapeSequencesAndBadBytes) {
  EXPECT_EQ(printable("plain é 漢"), "plain é 漢");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // C1 control sequence introducer
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt"),
            "\\xe2\\x80\\xaetxt");                          // right-to-left override
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
}

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // e and a combining acute accent
  EXPECT_EQ(display_width("\xff"), 1U);
}

TEST(Clipped, CutsAtCharactersAndMarksTheCut) {
  EXPECT_EQ(clipped("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped("abcdef", 4), "abc…");
  EXPECT_EQ(clipped("ééééé", 3), "éé…");
  EXPECT_EQ(clipped("abc", 0), "");
}

TEST(Wrapped, BreaksAtBlanksWithinTheWidth) {
  EXPECT_EQ(wrapped("one two three", 9, ""), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 11, "  "), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 0, "  "), "one two three");
  EXPECT_EQ(wrapped("unbreakable", 3, ""), "unbreakable");
}

}  // namespace
}  // namespace orrery::cli
