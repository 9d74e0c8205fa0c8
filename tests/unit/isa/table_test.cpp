// The instruction table: every row is readable, and no word belongs to two rows.
#include "isa/table.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/arch.h"
#include "sass/syntax.h"

namespace lanescope {
namespace {

bool on(const isa::Row& row, std::uint32_t sm) { return sm >= row.first_sm && (row.last_sm == 0 || sm <= row.last_sm); }

// Whether some word belongs to both: the decoder tells rows apart by operation, form and the bits that they fix.
bool overlap(const sass::Encoding& a, const sass::Encoding& b) {
  if (a.row->operation != b.row->operation || a.form != b.form) return false;
  return ((a.fixed.low & b.fixed.low) & (a.fixed_value.low ^ b.fixed_value.low)) == 0 &&
         ((a.fixed.high & b.fixed.high) & (a.fixed_value.high ^ b.fixed_value.high)) == 0;
}

// "FADD and FMUL, form 1", for each pair of rows that overlap.
std::vector<std::string> overlaps(std::span<const isa::Row> rows, std::uint32_t sm) {
  std::vector<sass::Encoding> encodings;
  for (const isa::Row& row : rows)
    for (unsigned form = 0; form < 8; ++form)
      if (on(row, sm) && (row.forms >> form & 1) != 0)
        if (auto encoding = sass::parse_syntax(row, form, sm)) encodings.push_back(*std::move(encoding));
  std::vector<std::string> found;
  for (std::size_t a = 0; a < encodings.size(); ++a)
    for (std::size_t b = a + 1; b < encodings.size(); ++b)
      if (overlap(encodings[a], encodings[b]))
        found.push_back(fmt::format("{} and {}, form {}", encodings[a].row->name, encodings[b].row->name,
                                    static_cast<unsigned>(encodings[a].form)));
  return found;
}

TEST(Table, EveryRowIsReadableInEachOfItsForms) {
  for (const isa::Arch& arch : isa::architectures())
    for (const isa::Row& row : isa::table())
      for (unsigned form = 0; form < 8; ++form)
        if (on(row, arch.sm) && (row.forms >> form & 1) != 0) {
          const auto encoding = sass::parse_syntax(row, form, arch.sm);
          EXPECT_TRUE(encoding) << (encoding ? "" : encoding.error().message);
        }
}

TEST(Table, EveryRowBelongsToAnArchitecture) {
  for (const isa::Row& row : isa::table()) {
    bool used = false;
    for (const isa::Arch& arch : isa::architectures()) used |= on(row, arch.sm);
    EXPECT_TRUE(used) << row.name;
    EXPECT_NE(row.forms, 0) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
}

TEST(Table, NoWordBelongsToTwoRows) {
  for (const isa::Arch& arch : isa::architectures())
    EXPECT_EQ(overlaps(isa::table(), arch.sm), std::vector<std::string>{}) << "sm_" << arch.sm;
}

// The check itself must be able to fail.
TEST(Table, AnOverlapIsFound) {
  isa::Row low{"LOW", 0x021, 1 << 1, 75, 0, "LOW{= 80 0} {D}, {A}", {}, {}, "Bit 80 is clear."};
  isa::Row high = low, any = low;
  high.name = "HIGH", high.syntax = "HIGH{= 80 1} {D}, {A}";
  any.name = "ANY", any.syntax = "ANY {D}, {A}";
  const std::vector<isa::Row> apart{low, high}, together{low, high, any};
  EXPECT_EQ(overlaps(apart, 90), std::vector<std::string>{});
  EXPECT_EQ(overlaps(together, 90), (std::vector<std::string>{"LOW and ANY, form 1", "HIGH and ANY, form 1"}));
  any.first_sm = 100;
  EXPECT_EQ(overlaps(std::vector<isa::Row>{low, any}, 90), std::vector<std::string>{});
}

}  // namespace
}  // namespace lanescope
