#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanescope::report {
namespace {

constexpr std::string_view kGaps = "  ";  // between columns; where these are too many, half of it

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view utf8, std::size_t columns) {
  std::size_t byte = 0;
  for (std::size_t seen = 0; byte < utf8.size(); ++byte) {
    if (continues(utf8[byte])) continue;
    if (seen++ == columns) break;
  }
  return byte;
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return std::string(width > columns ? width - columns : 0, ' ') + std::string(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return std::string(text) + std::string(width > columns ? width - columns : 0, ' ');
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// "-- shared memory --" over `width` columns.
std::string banner(const std::string& text, std::size_t width) {
  if (text.empty()) return std::string(width, ' ');
  if (width < text.size() + 4) return padded_left(text, width);
  const std::size_t dashes = width - text.size() - 2, left = dashes / 2;
  return std::string(left, '-') + " " + text + " " + std::string(dashes - left, '-');
}

}  // namespace

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string percent(double share) {
  const double value = share * 100;
  if (value > 0 && value < 0.05) return "under 0.1 %";
  if (value < 100 && value >= 99.95) return "over 99.9 %";
  return fmt::format("{:.1f} %", value);
}

std::string decimal(double value) { return fmt::format("{:.1f}", value); }

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return !continues(c); }));
}

std::string cut(std::string_view utf8, std::size_t columns) {
  constexpr std::string_view kDots = "...";
  if (columns_of(utf8) <= columns) return std::string(utf8);
  if (columns <= kDots.size()) return std::string(kDots.substr(0, columns));
  return std::string(utf8.substr(0, bytes_of(utf8, columns - kDots.size()))) + std::string(kDots);
}

std::string plain_line(std::string_view source) {
  std::string text;
  for (const char c : source) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return trimmed(std::move(text));
}

std::string painted(std::string_view text, Paint paint, bool color) {
  constexpr std::string_view kCodes[] = {"", "1", "2", "31", "33", "32"};
  if (!color || paint == Paint::kNone || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<std::size_t>(paint)], text);
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  std::string result(begin, ' ');
  std::size_t used = begin;
  bool first = true;
  text.remove_prefix(begin);
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const std::size_t width = columns_of(word);
    if (!first && used + 1 + width > columns) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      result += ' ';
      ++used;
    }
    first = false;
    result += word;
    used += width;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return result;
}

void Table::add(std::vector<std::string> cells, std::string tail) {
  cells.resize(headings_.size());
  rows_.push_back({std::move(cells), std::move(tail)});
}

std::string Table::print(std::size_t indent, std::size_t width, bool color) const {
  const std::size_t count = headings_.size();
  std::vector<std::size_t> widths(count, 0);
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) widths[c] = std::max(widths[c], columns_of(row.cells[c]));
  }
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < count; ++c) {
    if (c != 0 && widths[c] == 0) continue;
    widths[c] = std::max(widths[c], columns_of(headings_[c].text));
    shown.push_back(c);
  }

  const std::size_t needed = std::accumulate(shown.begin(), shown.end(), indent,
                                             [&](std::size_t sum, std::size_t c) { return sum + widths[c]; });
  const bool tight = needed + kGaps.size() * (shown.size() - 1) > width;
  const std::string_view gap = kGaps.substr(0, tight ? 1 : kGaps.size());

  const std::string margin(indent, ' ');
  std::string groups = margin + std::string(widths[0], ' '),
              names = margin + padded_right(headings_[0].text, widths[0]);
  bool any_group = false;
  for (std::size_t i = 1; i < shown.size();) {
    const std::string& group = headings_[shown[i]].group;
    std::size_t span = 0;
    for (; i < shown.size() && headings_[shown[i]].group == group; ++i) {
      span += widths[shown[i]] + (span == 0 ? 0 : gap.size());
      names += std::string(gap) + padded_left(headings_[shown[i]].text, widths[shown[i]]);
    }
    any_group |= !group.empty();
    groups += std::string(gap) + banner(group, span);
  }
  if (!tail_heading_.empty()) names += std::string(gap) + tail_heading_;
  std::string text;
  if (any_group) text += painted(trimmed(groups), Paint::kDim, color) + "\n";
  text += painted(trimmed(names), Paint::kDim, color) + "\n";
  for (const Row& row : rows_) {
    std::string line = margin;
    if (!row.cells.empty()) {
      line += padded_right(row.cells[0], widths[0]);
      for (std::size_t i = 1; i < shown.size(); ++i)
        line += std::string(gap) + padded_left(row.cells[shown[i]], widths[shown[i]]);
    }
    if (!row.tail.empty()) {
      if (!row.cells.empty()) line += gap;
      const std::size_t used = columns_of(line);
      constexpr std::size_t kLeast = 16;
      const std::string tail = cut(row.tail, std::max(width > used ? width - used : 0, kLeast));
      line += row.cells.empty() ? painted(tail, Paint::kDim, color) : tail;
    }
    text += trimmed(line) + "\n";
  }
  return text;
}

}  // namespace lanescope::report
