#include "sass/instruction.h"
#include "sass/operands.h"

namespace lanescope::sass {
namespace {

// Fills the roles of an instruction from the fields that its encoding names.
class Decoder {
 public:
  Decoder(Instruction& instruction, const Encoding& encoding) : in_(instruction), encoding_(encoding) {}

  // What is wrong with the word, or nothing.
  std::string decode() {
    if (encoding_.guarded)
      in_.guard = {static_cast<std::uint8_t>(in_.word.bits(12, 3)), in_.word.bit(15), encoding_.uniform_guard};
    fill(encoding_.mnemonic);
    for (const Parts& operand : encoding_.operands) fill(operand);
    return error_;
  }

 private:
  void fill(const Parts& parts) {
    for (const Part& part : parts) {
      if (applies(part, encoding_, in_.word))
        fill(part);
      else if (!is_absent(part))
        error_ = "sets bits that mean nothing in this variant";
    }
  }

  // A field that does not apply must hold zeros, ones, or the texts' first value.
  bool is_absent(const Part& part) const {
    const std::uint64_t value = part.bits.read(in_.word);
    return value == 0 || value == (std::uint64_t{1} << part.bits.width()) - 1;
  }

  void fill(const Part& part) {
    switch (part.kind) {
      case PartKind::kModifier:
        if (const std::uint64_t value = part.bits.read(in_.word); !part.choices[value].valid)
          error_ = fmt::format("has the unknown value {} of {}", value, isa::describe(part.modifier).name);
        return;
      case PartKind::kPredicate: {
        const Predicate predicate = read_predicate(part, in_.word);
        if (part.role == Role::kPredicateDestination)
          in_.predicate_destination[part.index] = predicate;
        else
          in_.predicate_source[part.index] = predicate;
        return;
      }
      case PartKind::kAddress: {
        Address& address = part.role == Role::kAddress2 ? in_.address2 : in_.address;
        const std::int16_t descriptor = address.descriptor;
        address = read_address(part, in_.word, in_.sm);
        address.descriptor = descriptor;
        return;
      }
      case PartKind::kTarget:
        in_.target = read_target(part, in_.word, in_.offset);
        return;
      case PartKind::kSpecial:
        in_.special = static_cast<std::uint8_t>(part.bits.read(in_.word));
        return;
      default:
        fill_operand(part);
    }
  }

  void fill_operand(const Part& part) {
    switch (part.role) {
      case Role::kDestination:
        in_.destination = read_operand(part, encoding_, in_.word, in_.sm);
        return;
      case Role::kSource:
        in_.sources[part.index] = read_operand(part, encoding_, in_.word, in_.sm);
        if (part.kind == PartKind::kConstant && part.base.count != 0)
          in_.address.base = static_cast<std::uint8_t>(part.base.read(in_.word));
        return;
      case Role::kDescriptor:
        in_.address.descriptor = static_cast<std::int16_t>(part.bits.read(in_.word));
        return;
      case Role::kBarrier:
        in_.barrier = static_cast<std::uint8_t>(part.bits.read(in_.word));
        return;
      default:
        return;
    }
  }

  Instruction& in_;
  const Encoding& encoding_;
  std::string error_;
};

}  // namespace

Result<Instruction> decode(Word128 word, std::uint32_t offset, std::uint32_t sm) {
  const auto fail = [&](std::string_view what) {
    return input_error("sm_{} instruction 0x{:016x}{:016x} at {:#x} {}", sm, word.high, word.low, offset, what);
  };
  const Encoding* encoding = find_encoding(word, sm);
  if (encoding == nullptr)
    return fail(fmt::format("has the unknown operation {:#05x} (operand form {})", word.bits(0, 9), word.bits(9, 3)));
  const Word128 unknown{word.low & ~encoding->known.low, word.high & ~encoding->known.high};
  if (unknown != Word128{})
    return fail(
        fmt::format("is {} with unknown bits 0x{:016x}{:016x}", encoding->row->name, unknown.high, unknown.low));

  Instruction instruction;
  instruction.word = word;
  instruction.offset = offset;
  instruction.sm = sm;
  instruction.row = encoding->row;
  instruction.encoding = encoding;
  instruction.form = encoding->form;
  if (const std::string error = Decoder(instruction, *encoding).decode(); !error.empty())
    return fail(fmt::format("is {} and {}", encoding->row->name, error));
  return instruction;
}

std::uint32_t Instruction::modifier(isa::Modifier name) const { return read_modifier(*encoding, name, word); }

}  // namespace lanescope::sass
