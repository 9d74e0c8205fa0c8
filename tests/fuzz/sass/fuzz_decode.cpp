// Any words on any architecture: an error that says something, or an instruction that prints. The first byte picks the
// architecture; each following 16 bytes are a word.
#include <cstdlib>
#include <cstring>

#include "isa/arch.h"
#include "sass/instruction.h"
#include "sass/syntax.h"

using namespace lanescope;

namespace {

// Of the rows with the word's operation and form, as many as the bits that they fix allow.
int owners(const Word128& word, std::uint32_t sm) {
  int count = 0;
  for (const sass::Encoding& encoding : sass::encodings(sm))
    count += (encoding.row->operation | encoding.form << 9) == static_cast<int>(word.bits(0, 12)) &&
             (word.low & encoding.fixed.low) == encoding.fixed_value.low &&
             (word.high & encoding.fixed.high) == encoding.fixed_value.high;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 17) return 0;
  const auto architectures = isa::architectures();
  const std::uint32_t sm = architectures[data[0] % architectures.size()].sm;
  for (std::size_t at = 1, offset = 0; at + 16 <= size; at += 16, offset += 16) {
    Word128 word;
    std::memcpy(&word.low, data + at, 8);
    std::memcpy(&word.high, data + at + 8, 8);
    const auto instruction = sass::decode(word, static_cast<std::uint32_t>(offset), sm);
    const int rows = owners(word, sm);
    if (rows > 1 || (instruction && rows != 1)) std::abort();
    if (instruction ? sass::to_text(*instruction).empty() : instruction.error().message.empty()) std::abort();
  }
  return 0;
}
