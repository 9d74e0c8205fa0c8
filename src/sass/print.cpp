// The vendor's text of an instruction, from its word and the syntax of its row.
#include <bit>
#include <cmath>
#include <iterator>

#include "sass/instruction.h"
#include "sass/operands.h"

namespace lanescope::sass {
namespace {

void append_hex(std::string& out, std::int64_t value) {
  if (value < 0) out += '-';
  fmt::format_to(std::back_inserter(out), "{:#x}",
                 value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}

// The vendor's decimal of a value with `fraction_bits` below the exponent; specials have a space after them.
void append_float(std::string& out, double value, bool quiet) {
  if (std::isnan(value))
    out += std::signbit(value) ? (quiet ? "-QNAN " : "-SNAN ") : quiet ? "+QNAN " : "+SNAN ";
  else if (std::isinf(value))
    out += value < 0 ? "-INF " : "+INF ";
  else if (value == 0 && std::signbit(value))
    out += "-0.0 ";
  else if (std::fabs(value) >= 1e9)
    fmt::format_to(std::back_inserter(out), "{:.20e}", value);
  else
    fmt::format_to(std::back_inserter(out), "{:.20g}", value);
}

void append_single(std::string& out, std::uint32_t bits) {
  // Not through a conversion, which could make a signalling NaN quiet.
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  append_float(
      out, nan ? std::copysign(NAN, (bits >> 31) != 0 ? -1.0 : 1.0) : static_cast<double>(std::bit_cast<float>(bits)),
      (bits >> 22 & 1) != 0);
}

void append_half(std::string& out, std::uint32_t half) {
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = half & 0x3ff;
  if (exponent == 31)
    append_float(out, std::copysign(fraction != 0 ? NAN : INFINITY, sign), (half >> 9 & 1) != 0);
  else
    append_float(out, sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25)),
                 false);
}

void append_number(std::string& out, const Part& part, std::uint64_t bits) {
  const auto value = static_cast<std::int64_t>(bits) * part.scale;
  switch (part.style) {
    case NumberStyle::kHex:
      return append_hex(out, value);
    case NumberStyle::kSignedHex:
      return append_hex(out, sign_extend(bits, part.bits.width()) * part.scale);
    case NumberStyle::kDecimal:
      out += std::to_string(value);
      return;
    case NumberStyle::kFloat:
      return append_single(out, static_cast<std::uint32_t>(bits));
    case NumberStyle::kDouble: {
      const auto high = static_cast<std::uint32_t>(bits);
      const bool nan = (high & 0x7fffffff) > 0x7ff00000;
      return append_float(out,
                          nan ? std::copysign(NAN, (high >> 31) != 0 ? -1.0 : 1.0) : std::bit_cast<double>(bits << 32),
                          (high >> 19 & 1) != 0);
    }
    case NumberStyle::kHalf2:
      append_half(out, static_cast<std::uint32_t>(bits >> 16));
      out += ", ";
      return append_half(out, bits & 0xffff);
    case NumberStyle::kBfloat2:
      append_single(out, static_cast<std::uint32_t>(bits) & 0xffff0000);
      out += ", ";
      return append_single(out, static_cast<std::uint32_t>(bits) << 16);
  }
}

std::string_view special_name(unsigned number, std::uint32_t sm) {
  struct Name {
    unsigned number, first_sm, last_sm;
    std::string_view name;
  };
  static constexpr Name kNames[] = {
#define LANESCOPE_SPECIAL(number, first_sm, last_sm, name) {number, first_sm, last_sm, name},
#include "isa/special.inc"
#undef LANESCOPE_SPECIAL
  };
  for (const Name& name : kNames)
    if (name.number == number && sm >= name.first_sm && (name.last_sm == 0 || sm <= name.last_sm)) return name.name;
  return {};
}

class Printer {
 public:
  explicit Printer(const Instruction& instruction) : in_(instruction), encoding_(*instruction.encoding) {}

  std::string print() {
    print_guard();
    print_parts(encoding_.mnemonic);
    bool first = true;
    for (const Parts& operand : encoding_.operands) {
      const std::size_t before = out_.size();
      out_ += first ? " " : ", ";
      const std::size_t start = out_.size();
      print_parts(operand);
      if (out_.size() == start)
        out_.resize(before);
      else
        first = false;
    }
    while (out_.ends_with(' ')) out_.pop_back();
    return std::move(out_);
  }

 private:
  bool bit(int at) const { return at >= 0 && in_.word.bit(static_cast<unsigned>(at)); }

  void print_guard() {
    const Predicate guard = in_.guard;
    if (guard.index == 7 && !guard.negated) return;
    out_ += '@';
    print_predicate(guard);
    out_ += ' ';
  }

  void print_predicate(const Predicate& predicate) {
    if (predicate.negated) out_ += '!';
    if (predicate.uniform) out_ += 'U';
    out_ += 'P';
    out_ += predicate.index == 7 ? 'T' : static_cast<char>('0' + predicate.index);
  }

  void print_register(unsigned index) { out_ += index == 255 ? "RZ" : "R" + std::to_string(index); }
  void print_uniform(unsigned index) { out_ += index == uniform_zero(in_.sm) ? "URZ" : "UR" + std::to_string(index); }

  void print_parts(const Parts& parts) {
    for (const Part& part : parts)
      if (applies(part, encoding_, in_.word)) print_part(part);
  }

  void print_part(const Part& part) {
    switch (part.kind) {
      case PartKind::kText:
        out_ += part.text;
        return;
      case PartKind::kModifier:
        out_ += part.choices[part.bits.read(in_.word)].text;
        return;
      case PartKind::kPredicate: {
        const Predicate predicate = read_predicate(part, in_.word);
        if (!part.optional || predicate.index != 7 || predicate.negated) print_predicate(predicate);
        return;
      }
      case PartKind::kAddress:
        return print_address(part);
      case PartKind::kTarget:
        if (part.inverse) return append_hex(out_, read_target(part, in_.word, 0) - 16);
        return append_hex(out_, read_target(part, in_.word, in_.offset));
      case PartKind::kSpecial: {
        const auto number = static_cast<unsigned>(part.bits.read(in_.word));
        const std::string_view name = special_name(number, in_.sm);
        out_ += name.empty() ? "SR" + std::to_string(number) : std::string(name);
        return;
      }
      case PartKind::kNumber:
      case PartKind::kRegister:
      case PartKind::kUniform:
      case PartKind::kConstant:
        return print_operand(part);
      case PartKind::kCustom:
        return print_custom(part);
      case PartKind::kFixed:
      case PartKind::kSlot:
        return;
    }
  }

  void print_operand(const Part& part) {
    const Operand operand = read_operand(part, encoding_, in_.word, in_.sm);
    if (part.optional &&
        (operand.zero || (operand.kind == OperandKind::kImmediate && part.bits.read(in_.word) == part.hidden)))
      return;
    if (operand.negated) out_ += '-';
    if (operand.inverted) out_ += '~';
    if (operand.absolute) out_ += '|';
    if (part.kind == PartKind::kNumber) append_number(out_, part, part.bits.read(in_.word));
    if (part.kind == PartKind::kRegister) print_register(operand.index);
    if (part.kind == PartKind::kUniform) print_uniform(operand.index);
    if (part.kind == PartKind::kConstant) print_constant(part, operand);
    if (operand.absolute) out_ += '|';
    // With bit 109 clear, the reuse bits mean something else.
    if (bit(part.reuse) && bit(109)) out_ += ".reuse";
    if (part.halves >= 0) {
      constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
      out_ += kHalves[operand.halves];
    }
  }

  void print_constant(const Part& part, const Operand& operand) {
    const std::int64_t offset = sign_extend(operand.value, part.offset.width());
    if (operand.uniform >= 0) {
      out_ += "cx[";
      print_uniform(static_cast<unsigned>(operand.uniform));
    } else {
      out_ += "c[";
      append_hex(out_, operand.bank);
    }
    out_ += "][";
    if (part.base.count == 0)
      append_hex(out_, operand.value);
    else
      print_sum(part, offset, static_cast<unsigned>(part.base.read(in_.word)));
    out_ += ']';
  }

  // "R2+0x10": what is zero is left out, but not all.
  void print_sum(const Part& part, std::int64_t offset, unsigned base) {
    const bool zero = base == (part.uniform ? uniform_zero(in_.sm) : 255);
    if (zero && offset != 0) return append_hex(out_, offset);
    if (part.uniform)
      print_uniform(base);
    else
      print_register(base);
    if (offset != 0) out_ += '+', append_hex(out_, offset);
  }

  void print_address(const Part& part) {
    const Address address = read_address(part, in_.word, in_.sm);
    out_ += '[';
    const std::size_t start = out_.size();
    const auto plus = [&] {
      if (out_.size() != start) out_ += '+';
    };
    const bool added = address.uniform >= 0 && !part.uniform;
    if (!part.uniform) {
      const bool alone = !added && address.offset == 0;
      if (address.base != 255 || address.scale != 1 || address.wide || alone || (added && part.narrow_base)) {
        print_register(address.base);
        if (address.scale != 1) out_ += ".X" + std::to_string(address.scale);
        if (address.wide)
          out_ += ".64";
        else if (added && part.narrow_base)
          out_ += ".U32";
      }
    } else if (address.uniform >= 0 || address.offset == 0) {
      print_uniform(address.uniform >= 0 ? static_cast<unsigned>(address.uniform) : uniform_zero(in_.sm));
    }
    if (added) {
      plus();
      print_uniform(static_cast<unsigned>(address.uniform));
    }
    if (address.offset != 0) {
      if (out_.size() == start)
        append_hex(out_, static_cast<std::int64_t>(part.offset.read(in_.word)));
      else
        out_ += '+', append_hex(out_, address.offset);
    }
    out_ += ']';
  }

  void print_custom(const Part& part);

  const Instruction& in_;
  const Encoding& encoding_;
  std::string out_;
};

// What the vendor calls an IMAD that moves, adds or shifts.
std::string_view imad_alias(const Instruction& in) {
  const Operand &a = in.sources[0], &b = in.sources[1], &c = in.sources[2];
  if (in.form >= 6 || in.modifier(isa::Modifier::kExtended) != 0) return {};
  const bool immediate = b.kind == OperandKind::kImmediate;
  if (a.zero || b.zero || (immediate && b.value == 0)) return ".MOV";
  if (!immediate) return {};
  if (b.value == 1) return c.zero ? ".MOV" : ".IADD";
  return c.zero && std::has_single_bit(b.value) && b.value >> 31 == 0 ? ".SHL" : "";
}

void Printer::print_custom(const Part& part) {
  if (part.text == "imad") {
    out_ += imad_alias(in_);
  } else if (part.text == "scoreboards") {  // "{2,0}": those whose bits are set, highest first
    std::string list;
    for (unsigned bits = static_cast<unsigned>(part.bits.read(in_.word)); bits != 0;) {
      const int top = std::bit_width(bits) - 1;
      list += fmt::format("{}{}", list.empty() ? "{" : ",", top);
      bits &= ~(1u << top);
    }
    if (!list.empty()) out_ += list + "}";
  }
}

}  // namespace

std::string to_text(const Instruction& instruction) { return Printer(instruction).print(); }

}  // namespace lanescope::sass
