// Relocations of linked cubins: what each type writes, and where.
#pragma once

#include <optional>
#include <string_view>

#include "base/bits.h"

namespace lanescope::loader {

// A field of an instruction or of data, and the part of the symbol's address that goes there.
struct RelocationType {
  std::uint32_t number = 0;
  std::string_view name;  // as the vendor's cuobjdump prints it
  enum class Form : std::uint8_t {
    kBits,    // bits [drop, drop + width) of the address to bits [position, position + width) of the place
    kBranch,  // a branch target: address / 4, its low 8 bits to bits 16-23, the rest to bits 34 and up
    kClear,   // `width` zero bits
  } form = Form::kBits;
  std::uint8_t position = 0;
  std::uint8_t width = 0;
  std::uint8_t drop = 0;
};

// Nothing for a type that linked cubins don't use; relocation_name still knows the vendor's name of most of them.
const RelocationType* find_relocation(std::uint32_t number);

// Bits first .. first + count - 1 of `word` become `value`; count at most 64.
void set_bits(Word128& word, unsigned first, unsigned count, std::uint64_t value);

}  // namespace lanescope::loader
