#include "sass/syntax.h"

#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace lanescope::sass {
namespace {

constexpr isa::Modifier kNoModifier = isa::Modifier::kCount;

std::string_view next_word(std::string_view& rest) {
  const auto begin = rest.find_first_not_of(' ');
  if (begin == rest.npos) return rest = {};
  const auto end = rest.find(' ', begin);
  const std::string_view word = rest.substr(begin, end == rest.npos ? rest.npos : end - begin);
  rest = end == rest.npos ? std::string_view{} : rest.substr(end);
  return word;
}

std::optional<unsigned> to_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

Bits piece(unsigned first, unsigned count) {
  Bits bits;
  bits.pieces[0] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(count)};
  bits.count = 1;
  return bits;
}

// "72", "72-79", "76-78+91".
std::optional<Bits> to_bits(std::string_view text) {
  Bits bits;
  while (!text.empty()) {
    const auto plus = text.find('+');
    const std::string_view part = text.substr(0, plus);
    const auto dash = part.find('-');
    const auto first = to_number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : to_number(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 127 || bits.count == std::size(bits.pieces)) return {};
    bits.pieces[bits.count++] = {static_cast<std::uint8_t>(*first), static_cast<std::uint8_t>(*last - *first + 1)};
    text = plus == text.npos ? std::string_view{} : text.substr(plus + 1);
  }
  if (bits.count == 0 || bits.width() > 64) return {};
  return bits;
}

isa::Modifier find_modifier(std::string_view name) {
  static const std::map<std::string_view, isa::Modifier> kNames = [] {
    std::map<std::string_view, isa::Modifier> names;
    for (unsigned i = 0; i < static_cast<unsigned>(kNoModifier); ++i)
      names[isa::describe(static_cast<isa::Modifier>(i)).name] = static_cast<isa::Modifier>(i);
    return names;
  }();
  const auto found = kNames.find(name);
  return found == kNames.end() ? kNoModifier : found->second;
}

void mark(Word128& mask, const Bits& bits, std::uint64_t value = ~std::uint64_t{0}) {
  for (unsigned p = 0; p < bits.count; ++p)
    for (unsigned i = 0; i < bits.pieces[p].count; ++i, value >>= 1) {
      const unsigned at = bits.pieces[p].first + i;
      if ((value & 1) != 0) (at < 64 ? mask.low : mask.high) |= std::uint64_t{1} << at % 64;
    }
}

void mark_bit(Word128& mask, int bit) {
  if (bit >= 0) mark(mask, piece(static_cast<unsigned>(bit), 1));
}

// Parses one row in one form; what is wrong ends in `error`.
class Parser {
 public:
  Parser(const isa::Row& row, unsigned form, std::uint32_t sm)
      : row_(row), form_(form), uniform_width_(sm >= 100 ? 8 : 6) {
    encoding_.row = &row;
    encoding_.form = static_cast<std::uint8_t>(form);
  }

  Result<Encoding> parse() {
    std::string_view text = row_.syntax;
    if (text.starts_with("@UP ")) encoding_.uniform_guard = true, text.remove_prefix(4);
    const auto space = top_level(text, " ");
    parse_parts(text.substr(0, space), encoding_.mnemonic);
    std::string_view operands = space == text.npos ? std::string_view{} : text.substr(space + 1);
    while (!operands.empty()) {
      const auto comma = top_level(operands, ", ");
      parse_parts(operands.substr(0, comma), encoding_.operands.emplace_back());
      operands = comma == operands.npos ? std::string_view{} : operands.substr(comma + 2);
    }
    finish();
    if (!error_.empty())
      return internal_error("instruction table, {} (operation {:#05x}, form {}): {}", row_.name, row_.operation, form_,
                            error_);
    return std::move(encoding_);
  }

 private:
  // Where `what` stands outside braces.
  static std::size_t top_level(std::string_view text, std::string_view what) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '{') ++depth;
      if (text[i] == '}') --depth;
      if (depth == 0 && text.substr(i).starts_with(what)) return i;
    }
    return text.npos;
  }

  void fail(std::string_view field, std::string_view why) {
    if (error_.empty()) error_ = fmt::format("{{{}}}: {}", field, why);
  }

  void parse_parts(std::string_view text, Parts& out) {
    while (!text.empty()) {
      const auto open = text.find('{');
      if (open != 0) {
        Part& part = out.emplace_back();
        part.text = text.substr(0, open);
        text = open == text.npos ? std::string_view{} : text.substr(open);
        continue;
      }
      const auto close = text.find('}');
      if (close == text.npos) return fail(text, "is not closed");
      parse_field(text.substr(1, close - 1), out);
      text.remove_prefix(close + 1);
    }
  }

  Bits bits_of(std::string_view field, std::string_view word) {
    const auto bits = to_bits(word);
    if (!bits) fail(field, fmt::format("'{}' names no bits", word));
    return bits.value_or(piece(0, 1));
  }
  Bits register_bits(unsigned first) const { return piece(first, 8); }
  Bits uniform_bits(unsigned first) const { return piece(first, uniform_width_); }

  void parse_field(std::string_view field, Parts& out) {
    std::string_view rest = field;
    std::string_view word = next_word(rest);
    Part part;
    if (word == "=") {  // {= 91 1}: bits that have this value
      part.kind = PartKind::kFixed;
      const Bits bits = bits_of(field, next_word(rest));
      const auto value = to_number(next_word(rest));
      if (!value) return fail(field, "has no value");
      mark(encoding_.fixed, bits);
      mark(encoding_.fixed_value, bits, *value);
      return;
    }
    if (word == "unused") {  // bits that may have any value
      mark(encoding_.known, bits_of(field, next_word(rest)));
      return;
    }
    if (word == "unguarded") {
      encoding_.guarded = false;
      return;
    }
    if (const auto modifier = find_modifier(word.substr(0, word.find('~'))); modifier != kNoModifier)
      return parse_modifier(field, modifier, rest, out);
    if (!parse_operand(field, word, rest, part)) return fail(field, "is no field of the language");
    parse_attributes(field, rest, part);
    account(part);
    out.push_back(std::move(part));
  }

  // {Name bits text...}, {Name bits #}, {Name = 3}
  void parse_modifier(std::string_view field, isa::Modifier modifier, std::string_view rest, Parts& out) {
    std::string_view word = next_word(rest);
    if (word == "=") {
      const auto value = to_number(next_word(rest));
      if (!value) return fail(field, "has no value");
      encoding_.modifiers.push_back({modifier, nullptr, *value});
      return;
    }
    Part part;
    part.modifier = modifier;
    part.bits = bits_of(field, word);
    part.kind = PartKind::kModifier;
    word = next_word(rest);
    if (word.starts_with('#')) {
      part.kind = PartKind::kNumber;
      parse_style(field, word, part);
      parse_attributes(field, rest, part);
    } else {
      if (part.bits.width() > 8) return fail(field, "has too many bits for texts");
      parse_choices(field, word, rest, part);
    }
    account(part);
    out.push_back(std::move(part));
  }

  // Texts of the values 0, 1, 2, ...; "-" prints nothing, "?" is no value, ".TEXT=3" has the value 3 in the table, and
  // "12:.TEXT" goes on from 12.
  void parse_choices(std::string_view field, std::string_view word, std::string_view rest, Part& part) {
    part.choices.resize(std::size_t{1} << part.bits.width());
    std::size_t at = 0;
    const auto next = [&](std::string_view text) {
      if (const auto colon = text.find(':'); colon != text.npos && colon != 0) {
        if (const auto place = to_number(text.substr(0, colon))) at = *place, text.remove_prefix(colon + 1);
      }
      if (at >= part.choices.size()) return fail(field, "has more texts than values");
      Choice& choice = part.choices[at];
      choice.value = static_cast<std::uint32_t>(at++);
      if (text == "?") return;
      choice.valid = true;
      if (const auto equals = text.find('='); equals != text.npos) {
        const auto value = to_number(text.substr(equals + 1));
        if (!value) return fail(field, "has a value that is no number");
        choice.value = *value;
        text = text.substr(0, equals);
      }
      choice.text = text == "-" ? std::string_view{} : text;
    };
    std::string_view following = rest;
    const std::string_view second = next_word(following);
    if (second.empty() || second.starts_with("if=") || second.starts_with("unless=")) {  // a flag: one text
      if (word.find(':') == word.npos) next("-");
    }
    for (; !word.empty(); word = next_word(rest)) {
      if (word.starts_with("if=") || word.starts_with("unless=")) {
        parse_attribute(field, word, part);
        continue;
      }
      next(word);
    }
  }

  void parse_style(std::string_view field, std::string_view word, Part& part) {
    if (word == "#")
      part.style = NumberStyle::kHex;
    else if (word == "#s")
      part.style = NumberStyle::kSignedHex;
    else if (word == "#d")
      part.style = NumberStyle::kDecimal;
    else
      fail(field, "has an unknown number style");
  }

  bool parse_operand(std::string_view field, std::string_view word, std::string_view& rest, Part& part) {
    bool destination = false, negate = false, absolute = false, invert = false, logical = false;
    for (bool more = true; more && !word.empty();) {
      switch (word[0]) {
        case '>':
          destination = true;
          break;
        case '-':
          negate = true;
          break;
        case '|':
          absolute = true;
          break;
        case '~':
          invert = true;
          break;
        case '!':
          logical = true;
          break;
        default:
          more = false;
      }
      if (more) word.remove_prefix(1);
    }
    if (word.ends_with('|')) word.remove_suffix(1);

    const auto place = [&](unsigned first, int negate_bit, int absolute_bit, int reuse_bit) {
      place_ = first;
      if (negate) part.negate = static_cast<std::int16_t>(negate_bit);
      if (invert) part.invert = static_cast<std::int16_t>(negate_bit);
      if (absolute) part.absolute = static_cast<std::int16_t>(absolute_bit);
      if (part.kind == PartKind::kRegister)
        part.reuse = static_cast<std::int16_t>(reuse_bit), part.bits = register_bits(first);
      if (part.kind == PartKind::kUniform) {
        part.bits = uniform_bits(first);
        mark_bit(encoding_.known, 91);
      }
    };
    const auto source = [&] {
      part.role = destination ? Role::kDestination : Role::kSource;
      part.index = destination ? 0 : sources_++;
    };
    const bool uniform = word.starts_with('U');
    const std::string_view name = uniform ? word.substr(1) : word;
    const PartKind file = uniform ? PartKind::kUniform : PartKind::kRegister;

    if (name == "D") {
      part.kind = file;
      part.role = Role::kDestination;
      place(16, -1, -1, -1);
    } else if (name == "A") {
      part.kind = file;
      source();
      place(24, 72, 73, 122);
    } else if (name == "B" || name == "C" || name == "W") {
      const bool b_is_wide = form_ == 1 || form_ == 4 || form_ == 5 || form_ == 6;
      source();
      if (name == "W" || (name == "B") == b_is_wide) {
        make_slot(field, uniform, part);
        if (part.kind != PartKind::kNumber) place(32, 63, 62, 123);
      } else {
        part.kind = file;
        place(64, 75, 74, name == "B" ? 123 : 124);  // the reuse bits are by source, the others by place
      }
    } else if (name == "R") {
      const std::string_view at = next_word(rest);
      part.kind = file;
      source();
      const auto first = to_number(at);
      if (!first) return false;
      if (*first == 24)
        place(24, 72, 73, 122);
      else if (*first == 32)
        place(32, 63, 62, 123);
      else if (*first == 64)
        place(64, 75, 74, 124);
      else
        place(*first, -1, -1, -1);
      if (destination) part.reuse = -1;
    } else if (name == "P") {
      const std::string_view at = next_word(rest);
      const auto first = to_number(at);
      if (!first) return false;
      part.kind = PartKind::kPredicate;
      part.uniform = uniform;
      part.bits = piece(*first, 3);
      part.role = destination ? Role::kPredicateDestination : Role::kPredicateSource;
      part.index = destination ? predicate_destinations_++ : predicate_sources_++;
      if (logical) part.negate = static_cast<std::int16_t>(*first + 3);
    } else if (word.starts_with('#')) {
      part.kind = PartKind::kNumber;
      parse_style(field, word, part);
      source();
      part.bits = bits_of(field, next_word(rest));
    } else if (word == "SR") {
      part.kind = PartKind::kSpecial;
      part.bits = bits_of(field, next_word(rest));
    } else if (word == "CB") {
      part.kind = PartKind::kNumber;
      part.style = NumberStyle::kDecimal;
      part.role = Role::kBarrier;
      part.bits = bits_of(field, next_word(rest));
    } else if (word == "target") {
      part.kind = PartKind::kTarget;
      part.bits = bits_of(field, next_word(rest));
    } else if (word == "addr") {
      part.kind = PartKind::kAddress;
      part.role = Role::kAddress;
    } else if (word == "const") {
      part.kind = PartKind::kConstant;
      source();
      part.bits = piece(54, 5);
      part.offset = piece(38, 16);
    } else {
      part.kind = PartKind::kCustom;
      part.text = word;
      const std::string_view at = next_word(rest);
      if (!at.empty()) part.bits = bits_of(field, at);
    }
    return true;
  }

  // The 32 bits from bit 32 on: a register, an immediate, a constant or a uniform register.
  void make_slot(std::string_view field, bool uniform, Part& part) {
    switch (form_) {
      case 1:
        part.kind = uniform ? PartKind::kUniform : PartKind::kRegister;
        return;
      case 2:
      case 4:
        part.kind = PartKind::kNumber;
        part.bits = piece(32, 32);
        return;
      case 3:
      case 5:
        part.kind = PartKind::kConstant;
        part.bits = piece(54, 5);
        part.offset = piece(38, 16);
        part.uniform_base = uniform_bits(32);
        part.uniform_if = 91;
        return;
      case 6:
      case 7:
        part.kind = PartKind::kUniform;
        mark_bit(encoding_.fixed, 91);
        mark_bit(encoding_.fixed_value, 91);
        return;
      default:
        fail(field, "needs an operand form from 1 to 7");
    }
  }

  void parse_attributes(std::string_view field, std::string_view rest, Part& part) {
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
      parse_attribute(field, word, part);
  }

  void parse_attribute(std::string_view field, std::string_view word, Part& part) {
    const auto equals = word.find('=');
    const std::string_view key = word.substr(0, equals),
                           value = equals == word.npos ? std::string_view{} : word.substr(equals + 1);
    const auto bit = [&] { return static_cast<std::int16_t>(to_number(value).value_or(0)); };
    const auto first = [&] { return to_number(value).value_or(0); };
    if (key.ends_with("@32") || key.ends_with("@64")) {  // only for an operand that stands there
      const bool there = part.kind != PartKind::kNumber && place_ == to_number(key.substr(key.size() - 2));
      if (there) parse_attribute(field, fmt::format("{}={}", key.substr(0, key.size() - 3), value), part);
      return;
    }
    const bool in_slot = part.kind == PartKind::kNumber && part.role == Role::kSource;  // immediates have no signs
    if (key == "opt")
      part.optional = true, part.hidden = static_cast<std::uint8_t>(first());
    else if (key == "raw")
      part.inverse = true;
    else if (key == "inv7")
      part.inverse = true;
    else if (key == "uniform_if")
      part.uniform_bit = bit();
    else if (key == "reuse")
      part.reuse = part.kind == PartKind::kRegister ? bit() : std::int16_t{-1};
    else if (key == "neg") {
      if (!in_slot) part.negate = bit();
    } else if (key == "abs") {
      if (!in_slot) part.absolute = bit();
    } else if (key == "inv") {
      if (!in_slot) part.invert = bit();
    } else if (key == "halves") {
      if (!in_slot) part.halves = bit();
    } else if (key == "x~")
      part.swap_invert = true;
    else if (key == "noreuse")
      part.reuse = -1;
    else if (key == "desc")
      part.role = Role::kDescriptor, sources_ = part.index;  // it is no source
    else if (key == "second")
      part.role = Role::kAddress2;
    else if (key == "times")
      part.scale = static_cast<std::uint8_t>(first());
    else if (key == "base")
      part.base = register_bits(first());
    else if (key == "ubase")
      part.base = uniform_bits(first()), part.uniform = true;
    else if (key == "scale")
      part.base_scale = bit();
    else if (key == "wide")
      part.base_wide = bit();
    else if (key == "narrow")
      part.narrow_base = true;
    else if (key == "ur")
      part.uniform_base = uniform_bits(first());
    else if (key == "ur_if")
      part.uniform_if = bit();
    else if (key == "off")
      part.offset = bits_of(field, value);
    else if (key == "as")
      parse_as(field, value, part);
    else if (key == "if" || key == "unless") {
      part.when = find_modifier(value);
      part.unless = key == "unless";
      if (part.when == kNoModifier) fail(field, "names an unknown modifier");
    } else
      fail(field, fmt::format("'{}' is no attribute", word));
  }

  void parse_as(std::string_view field, std::string_view value, Part& part) {
    static const std::map<std::string_view, NumberStyle> kStyles = {
        {"s32", NumberStyle::kSignedHex}, {"f32", NumberStyle::kFloat},      {"f64", NumberStyle::kDouble},
        {"f16x2", NumberStyle::kHalf2},   {"bf16x2", NumberStyle::kBfloat2}, {"u32", NumberStyle::kHex}};
    const auto found = kStyles.find(value);
    if (found == kStyles.end()) return fail(field, "has an unknown number style");
    part.style = found->second;
  }

  // The bits of `part` mean something.
  void account(const Part& part) {
    mark(encoding_.known, part.bits);
    mark(encoding_.known, part.base);
    mark(encoding_.known, part.uniform_base);
    mark(encoding_.known, part.offset);
    for (const int bit : {part.negate, part.absolute, part.invert, part.uniform_if, part.base_wide, part.uniform_bit})
      mark_bit(encoding_.known, bit);
    for (const int bit : {part.halves, part.base_scale})
      if (bit >= 0) mark(encoding_.known, piece(static_cast<unsigned>(bit), 2));
  }

  void finish() {
    collect(encoding_.mnemonic);
    for (const Parts& parts : encoding_.operands) collect(parts);
    Word128& known = encoding_.known;
    known.low |= encoding_.fixed.low;
    known.high |= encoding_.fixed.high;
    mark(known, piece(0, 12));  // operation and form
    if (encoding_.guarded) mark(known, piece(12, 4));
    mark(known, piece(105, 17));  // stall, yield, scoreboards, wait mask
    mark(known, piece(122, 4));   // reuse
  }

  void collect(const Parts& parts) {
    for (const Part& part : parts)
      if (part.modifier != kNoModifier) encoding_.modifiers.push_back({part.modifier, &part, 0});
  }

  const isa::Row& row_;
  unsigned form_;
  unsigned uniform_width_;
  Encoding encoding_;
  std::string error_;
  unsigned place_ = 0;  // first bit of the operand being parsed
  std::uint8_t sources_ = 0, predicate_destinations_ = 0, predicate_sources_ = 0;
};

// Encodings by operation and form.
struct Architecture {
  std::vector<Encoding> encodings;
  std::vector<const Encoding*> by_operation[4096];
};

std::unique_ptr<Architecture> make_architecture(std::uint32_t sm) {
  auto architecture = std::make_unique<Architecture>();
  for (const isa::Row& row : isa::table()) {
    if (sm < row.first_sm || (row.last_sm != 0 && sm > row.last_sm)) continue;
    for (unsigned form = 0; form < 8; ++form) {
      if ((row.forms >> form & 1) == 0) continue;
      // The table's tests parse every row; one that is wrong cannot be matched.
      if (auto encoding = parse_syntax(row, form, sm)) architecture->encodings.push_back(*std::move(encoding));
    }
  }
  for (const Encoding& encoding : architecture->encodings)
    architecture->by_operation[encoding.row->operation | encoding.form << 9].push_back(&encoding);
  return architecture;
}

const Architecture& architecture(std::uint32_t sm) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::unique_ptr<Architecture>> made;
  const std::lock_guard lock(mutex);
  auto& entry = made[sm];
  if (!entry) entry = make_architecture(sm);
  return *entry;
}

}  // namespace

std::uint64_t Bits::read(const Word128& word) const {
  std::uint64_t value = 0;
  unsigned at = 0;
  for (unsigned p = 0; p < count; ++p) {
    value |= word.bits(pieces[p].first, pieces[p].count) << at;
    at += pieces[p].count;
  }
  return value;
}

unsigned Bits::width() const {
  unsigned sum = 0;
  for (unsigned p = 0; p < count; ++p) sum += pieces[p].count;
  return sum;
}

const Encoding::Field* Encoding::find(isa::Modifier modifier) const {
  for (const Field& field : modifiers)
    if (field.modifier == modifier) return &field;
  return nullptr;
}

Result<Encoding> parse_syntax(const isa::Row& row, unsigned form, std::uint32_t sm) {
  return Parser(row, form, sm).parse();
}

const Encoding* find_encoding(const Word128& word, std::uint32_t sm) {
  for (const Encoding* encoding : architecture(sm).by_operation[word.bits(0, 12)])
    if ((word.low & encoding->fixed.low) == encoding->fixed_value.low &&
        (word.high & encoding->fixed.high) == encoding->fixed_value.high)
      return encoding;
  return nullptr;
}

const std::vector<Encoding>& encodings(std::uint32_t sm) { return architecture(sm).encodings; }

}  // namespace lanescope::sass
