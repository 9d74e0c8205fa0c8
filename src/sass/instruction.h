// One decoded machine instruction: roles and modifiers instead of bit positions. The decoder fills it from the
// instruction table (isa/), the disassembler prints it, the engine lowers it to micro-operations.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bits.h"
#include "base/result.h"
#include "isa/table.h"

namespace lanescope::sass {

enum class OperandKind : std::uint8_t { kNone, kRegister, kUniformRegister, kImmediate, kConstant };

// A data operand. Registers: RZ is 255, URZ is 63 (before sm_100) and 255 from there, as in the word; use is_zero().
struct Operand {
  OperandKind kind = OperandKind::kNone;
  bool negated = false;
  bool absolute = false;
  bool inverted = false;      // printed ~
  bool zero = false;          // RZ or URZ
  std::uint8_t index = 0;     // register
  std::uint8_t halves = 0;    // of half-precision pairs: 0 both, 1 .F32, 2 .H0_H0, 3 .H1_H1
  std::uint8_t bank = 0;      // kConstant
  std::int16_t uniform = -1;  // kConstant: uniform register that names the bank (cx[UR][offset]) or is added; -1 none
  std::uint32_t value = 0;    // kImmediate: the 32 bits; kConstant: byte offset
};

// A predicate operand; index 7 is PT (UPT).
struct Predicate {
  std::uint8_t index = 7;
  bool negated = false;
  bool uniform = false;
};

// The address of a memory instruction: base register (+ uniform register) + offset.
struct Address {
  std::uint8_t base = 255;    // 255: RZ
  bool wide = false;          // 64-bit base (a register pair)
  std::int16_t uniform = -1;  // added uniform register, or -1
  bool uniform_wide = false;
  std::int16_t descriptor = -1;  // desc[URn], which does not change the address, or -1
  std::uint8_t scale = 1;        // .X4, .X8, .X16 of the base
  std::int32_t offset = 0;
};

inline constexpr int kMaxSources = 4;

struct Encoding;  // sass/syntax.h

struct Instruction {
  Word128 word;
  std::uint32_t offset = 0;  // bytes from the start of its function
  std::uint32_t sm = 0;
  const isa::Row* row = nullptr;       // never null in a decoded instruction
  const Encoding* encoding = nullptr;  // its syntax; lives as long as the program
  std::uint8_t form = 0;               // bits 9-11
  Predicate guard;

  Operand destination;           // kRegister or kUniformRegister; kNone when there is none
  Operand sources[kMaxSources];  // a, b, c in the order of the operation's definition (not of the encoding)
  Predicate predicate_destination[2];
  Predicate predicate_source[3];
  Address address;           // memory instructions; LDGSTS: the global source
  Address address2;          // LDGSTS: the shared destination
  std::int64_t target = 0;   // branches: byte offset of the target from the start of its function
  std::uint8_t barrier = 0;  // B0-B15 of BSSY, BSYNC, BREAK, BMOV
  std::uint8_t special = 0;  // SR_ number of S2R, S2UR, CS2R

  // The value of a modifier's field, 0 when this row does not have it.
  std::uint32_t modifier(isa::Modifier name) const;
};

// Decodes one word. An unknown operation, an unknown value of a field and unknown set bits are errors that name the
// architecture, the offset and the words.
Result<Instruction> decode(Word128 word, std::uint32_t offset, std::uint32_t sm);

// The vendor's text: "@!P0 LDG.E.64 R2, desc[UR4][R2.64+0x8]". No trailing semicolon.
std::string to_text(const Instruction& instruction);

}  // namespace lanescope::sass
