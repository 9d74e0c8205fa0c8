// The `syntax` column of the instruction table, parsed: what the words of one row and operand form look like.
// isa/table.inc describes the language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "base/result.h"
#include "isa/table.h"

namespace lanescope::sass {

// Up to four pieces of a word, joined; the first is least significant.
struct Bits {
  struct Piece {
    std::uint8_t first = 0;
    std::uint8_t count = 0;
  };
  Piece pieces[4];
  std::uint8_t count = 0;  // of pieces

  std::uint64_t read(const Word128& word) const;
  unsigned width() const;
};

// One value of a modifier: what prints, and the value that the table gives it.
struct Choice {
  std::string_view text;
  std::uint32_t value = 0;
  bool valid = false;
};

enum class PartKind : std::uint8_t {
  kText,       // prints itself
  kModifier,   // bits that choose a text
  kNumber,     // bits that print as a number
  kRegister,   // R0-R254, RZ
  kUniform,    // UR0-UR62, URZ
  kSlot,       // register, immediate or constant, as the operand form says
  kPredicate,  // P0-P6, PT
  kAddress,    // [R2.64+UR4+0x10]
  kConstant,   // c[0x0][R2+0x10]
  kTarget,     // branch target
  kSpecial,    // SR_TID.X
  kFixed,      // prints nothing
  kCustom,     // by name: what no other kind says (print.cpp)
};

// What a field becomes in sass::Instruction.
enum class Role : std::uint8_t {
  kNone,
  kDestination,
  kSource,
  kPredicateDestination,
  kPredicateSource,
  kAddress,
  kAddress2,
  kDescriptor,
  kBarrier,
};

enum class NumberStyle : std::uint8_t { kHex, kSignedHex, kDecimal, kFloat, kDouble, kHalf2, kBfloat2 };

struct Part {
  PartKind kind = PartKind::kText;
  Role role = Role::kNone;
  std::uint8_t index = 0;  // of the role: source 0, predicate destination 1, ...
  std::string_view text;   // kText; kCustom: its name
  Bits bits;
  isa::Modifier modifier = isa::Modifier::kCount;  // kModifier; kNumber: may have none
  std::vector<Choice> choices;
  NumberStyle style = NumberStyle::kHex;
  std::uint8_t scale = 1;  // kNumber: what the bits count
  bool uniform = false;    // predicates and slots of the uniform datapath
  bool optional = false;   // prints nothing when it is PT, RZ, or `hidden`
  std::uint8_t hidden = 0;
  bool inverse = false;      // a predicate stored as 7 - number
  std::int16_t negate = -1;  // bit numbers, -1: cannot be
  std::int16_t absolute = -1;
  std::int16_t invert = -1;                    // prints ~
  std::int16_t halves = -1;                    // first of two bits: which halves of a pair
  std::int16_t reuse = -1;                     // bit of the reuse cache
  std::int16_t uniform_bit = -1;               // predicates: a bit that makes it uniform
  bool swap_invert = false;                    // with Extended, what negates inverts
  isa::Modifier when = isa::Modifier::kCount;  // prints only while this modifier is not 0
  bool unless = false;                         // the other way round

  // kAddress, kConstant
  Bits base, uniform_base, offset;
  std::int16_t uniform_if = -1;  // bit that says whether the uniform register is added; -1: always, when there is one
  std::int16_t base_scale = -1;  // first of two bits: X4, X8, X16
  std::int16_t base_wide = -1;   // bit: the base is 64 bits
  bool narrow_base = false;      // and prints .U32 when it is not but a uniform register is added
};

using Parts = std::vector<Part>;

// A row in one operand form on one architecture.
struct Encoding {
  Encoding() = default;
  Encoding(Encoding&&) = default;  // the fields of `modifiers` point into the parts, which a move leaves in place
  Encoding& operator=(Encoding&&) = default;

  const isa::Row* row = nullptr;
  std::uint8_t form = 0;
  bool uniform_guard = false;
  bool guarded = true;
  Parts mnemonic;
  std::vector<Parts> operands;
  Word128 known;               // bits that mean something
  Word128 fixed, fixed_value;  // bits that must have a value
  struct Field {
    isa::Modifier modifier;
    const Part* part;  // null: a constant of the row
    std::uint32_t value;
  };
  std::vector<Field> modifiers;

  const Field* find(isa::Modifier modifier) const;
};

// Whether the syntax is one; the table's tests ask for every row.
Result<Encoding> parse_syntax(const isa::Row& row, unsigned form, std::uint32_t sm);

// The encoding that `word` belongs to, or null.
const Encoding* find_encoding(const Word128& word, std::uint32_t sm);

// All encodings of an architecture.
const std::vector<Encoding>& encodings(std::uint32_t sm);

}  // namespace lanescope::sass
