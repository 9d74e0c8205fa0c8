// Plain text in columns: numbers with separators, cut lines, colour.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::report {

std::string with_separators(std::uint64_t value);             // "1,234,567"
std::string percent(double share);                            // "96.9 %"; what is not whole never rounds to 0 or 100
std::string decimal(double value);                            // "32.0"
std::size_t columns_of(std::string_view utf8);                // characters, not bytes
std::string cut(std::string_view utf8, std::size_t columns);  // "a long li..."
std::string plain_line(std::string_view source);              // without outer spaces and control characters

enum class Paint { kNone, kBold, kDim, kRed, kYellow, kGreen };
std::string painted(std::string_view text, Paint paint, bool color);

// Splits a sentence at spaces; lines after the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

// Right-aligned columns of figures with a left-aligned first column. Columns without any text are left out.
class Table {
 public:
  struct Heading {
    std::string text;
    std::string group;  // printed above adjoining columns that share it
  };
  explicit Table(std::vector<Heading> headings, std::string tail_heading = {})
      : headings_(std::move(headings)), tail_heading_(std::move(tail_heading)) {}

  // `tail` is printed behind the columns, cut at `width`.
  void add(std::vector<std::string> cells, std::string tail = {});
  // `text` stands on a line of its own before the next row.
  void interrupt(std::string text) { rows_.push_back({{}, std::move(text)}); }
  std::string print(std::size_t indent, std::size_t width, bool color) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // empty: an interruption
    std::string tail;
  };
  std::vector<Heading> headings_;
  std::string tail_heading_;
  std::vector<Row> rows_;
};

}  // namespace lanescope::report
