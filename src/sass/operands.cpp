#include "sass/operands.h"

namespace lanescope::sass {
namespace {

bool bit(const Word128& word, std::int16_t at) { return at >= 0 && word.bit(static_cast<unsigned>(at)); }

std::int16_t added_uniform(const Part& part, const Word128& word) {
  if (part.uniform_base.count == 0 || (part.uniform_if >= 0 && !bit(word, part.uniform_if))) return -1;
  return static_cast<std::int16_t>(part.uniform_base.read(word));
}

}  // namespace

std::uint32_t read_modifier(const Encoding& encoding, isa::Modifier modifier, const Word128& word) {
  for (const Encoding::Field& field : encoding.modifiers) {
    if (field.modifier != modifier) continue;
    if (field.part == nullptr) return field.value;
    if (!applies(*field.part, encoding, word)) continue;
    const auto bits = static_cast<std::uint32_t>(field.part->bits.read(word));
    return field.part->kind == PartKind::kModifier ? field.part->choices[bits].value : bits;
  }
  return 0;
}

bool applies(const Part& part, const Encoding& encoding, const Word128& word) {
  return part.when == isa::Modifier::kCount || (read_modifier(encoding, part.when, word) != 0) != part.unless;
}

Operand read_operand(const Part& part, const Encoding& encoding, const Word128& word, std::uint32_t sm) {
  Operand operand;
  const std::uint64_t bits = part.bits.read(word);
  operand.negated = bit(word, part.negate);
  operand.absolute = bit(word, part.absolute);
  operand.inverted = bit(word, part.invert);
  if (part.swap_invert && operand.negated && read_modifier(encoding, isa::Modifier::kExtended, word) != 0) {
    operand.negated = false;
    operand.inverted = true;
  }
  if (part.halves >= 0) operand.halves = static_cast<std::uint8_t>(word.bits(static_cast<unsigned>(part.halves), 2));
  switch (part.kind) {
    case PartKind::kRegister:
    case PartKind::kUniform:
      operand.kind = part.kind == PartKind::kRegister ? OperandKind::kRegister : OperandKind::kUniformRegister;
      operand.index = static_cast<std::uint8_t>(bits);
      operand.zero = bits == (part.kind == PartKind::kRegister ? 255 : uniform_zero(sm));
      break;
    case PartKind::kNumber:
      operand.kind = OperandKind::kImmediate;
      operand.value = static_cast<std::uint32_t>(bits * part.scale);
      if (part.style == NumberStyle::kSignedHex)
        operand.value = static_cast<std::uint32_t>(sign_extend(bits, part.bits.width()) * part.scale);
      break;
    case PartKind::kConstant:
      operand.kind = OperandKind::kConstant;
      operand.bank = static_cast<std::uint8_t>(bits);
      operand.value = static_cast<std::uint32_t>(part.offset.read(word));
      operand.uniform = added_uniform(part, word);
      break;
    default:
      break;
  }
  return operand;
}

Predicate read_predicate(const Part& part, const Word128& word) {
  const auto index = static_cast<std::uint8_t>(part.bits.read(word));
  return {static_cast<std::uint8_t>(part.inverse ? 7 - index : index), bit(word, part.negate),
          part.uniform || bit(word, part.uniform_bit)};
}

Address read_address(const Part& part, const Word128& word, std::uint32_t sm) {
  Address address;
  if (part.base.count != 0 && !part.uniform) address.base = static_cast<std::uint8_t>(part.base.read(word));
  if (part.base.count != 0 && part.uniform) {
    const auto base = static_cast<std::int16_t>(part.base.read(word));
    address.uniform = base == static_cast<std::int16_t>(uniform_zero(sm)) ? std::int16_t{-1} : base;
  } else {
    address.uniform = added_uniform(part, word);
  }
  address.wide = bit(word, part.base_wide);
  if (part.base_scale >= 0) {
    constexpr std::uint8_t kScales[] = {1, 4, 8, 16};
    address.scale = kScales[word.bits(static_cast<unsigned>(part.base_scale), 2)];
  }
  if (part.offset.count != 0)
    address.offset = static_cast<std::int32_t>(sign_extend(part.offset.read(word), part.offset.width()));
  return address;
}

std::int64_t read_target(const Part& part, const Word128& word, std::uint32_t offset) {
  return static_cast<std::int64_t>(offset) + 16 + sign_extend(part.bits.read(word), part.bits.width()) * part.scale;
}

}  // namespace lanescope::sass
