// Reads the fields of a word that a parsed syntax names; the decoder and the printer share it.
#pragma once

#include "sass/instruction.h"
#include "sass/syntax.h"

namespace lanescope::sass {

// Whether `part` prints in this word (its attributes if= and unless=).
bool applies(const Part& part, const Encoding& encoding, const Word128& word);

// The table's value of a modifier in this word; 0 where the encoding does not have it.
std::uint32_t read_modifier(const Encoding& encoding, isa::Modifier modifier, const Word128& word);

Operand read_operand(const Part& part, const Encoding& encoding, const Word128& word, std::uint32_t sm);
Predicate read_predicate(const Part& part, const Word128& word);
Address read_address(const Part& part, const Word128& word, std::uint32_t sm);
std::int64_t read_target(const Part& part, const Word128& word, std::uint32_t offset);

// The number of URZ.
constexpr unsigned uniform_zero(std::uint32_t sm) { return sm >= 100 ? 255 : 63; }

}  // namespace lanescope::sass
