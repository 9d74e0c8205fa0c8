#include "report/text.h"

#include <gtest/gtest.h>

namespace lanescope::report {
namespace {

TEST(Text, SeparatesThousands) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(with_separators(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Text, PercentNeverPretendsToBeWhole) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.939), "93.9 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0.0001), "under 0.1 %");
  EXPECT_EQ(percent(0.9999), "over 99.9 %");
}

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("too long", 6), "too...");
  EXPECT_EQ(cut("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f and more", 6), "\xc3\xa4\xc3\xb6\xc3\xbc...");
  EXPECT_EQ(columns_of("\xc3\xa4\xc3\xb6"), 2u);
}

TEST(Text, SourceLinesCannotDisturbATerminal) { EXPECT_EQ(plain_line("\tx = 1;\x1b[31m\r"), "x = 1; [31m"); }

TEST(Text, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("  one two three", 9, 4), "  one two\n    three");
  EXPECT_EQ(wrapped("unbreakable word", 4, 0), "unbreakable\nword");
}

TEST(Table, AlignsAndLeavesEmptyColumnsOut) {
  Table table({{"line", ""}, {"a", "group"}, {"bb", "group"}, {"c", ""}});
  table.add({"x:1", "1", "22,222", ""}, "tail");
  table.interrupt("between");
  table.add({"long:22", "", "3", ""});
  EXPECT_EQ(table.print(2, 80, false),
            "           - group -\n"
            "  line     a      bb\n"
            "  x:1      1  22,222  tail\n"
            "  between\n"
            "  long:22          3\n");
}

TEST(Table, CutsTailsAtTheWidth) {
  Table table(std::vector<Table::Heading>{{"line", ""}, {"a", ""}});
  table.add({"x:1", "1"}, "a tail that is much longer than that");
  EXPECT_EQ(table.print(0, 30, false), "line  a\nx:1   1  a tail that is muc...\n");
}

TEST(Paint, IsForTerminalsOnly) {
  EXPECT_EQ(painted("x", Paint::kRed, false), "x");
  EXPECT_EQ(painted("x", Paint::kRed, true), "\033[31mx\033[0m");
}

}  // namespace
}  // namespace lanescope::report
