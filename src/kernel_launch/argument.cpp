#include "kernel_launch/argument.h"

#include <algorithm>

namespace lanescope::kernel_launch {
namespace {

constexpr int kDeepest = 16;  // structures inside structures
constexpr std::string_view kFills = "zeros, count, random(seed), file(path), a number or {a list of numbers}";
constexpr std::size_t kNowhere = std::string_view::npos;

// The first of `any` outside brackets and quotes, or kNowhere.
std::size_t find_outside(std::string_view text, std::string_view any) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && any.find(c) != kNowhere) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return kNowhere;
}

// The parts between commas outside brackets; none of an empty text.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trimmed(text).empty()) return parts;
  for (;;) {
    const std::size_t comma = find_outside(text, ",");
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == kNowhere) return parts;
    text.remove_prefix(comma + 1);
  }
}

// What stands between `open` at the front and `close` at the very end, or nothing.
std::optional<std::string_view> inside(std::string_view text, char open, char close) {
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::string_view unquoted(std::string_view text) { return inside(text, '"', '"').value_or(text); }

// Whether every bracket and quote closes.
bool is_balanced(std::string_view text) {
  std::string open;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') open += ')';
    if (c == '[') open += ']';
    if (c == '{') open += '}';
    if (c != ')' && c != ']' && c != '}') continue;
    if (open.empty() || open.back() != c) return false;
    open.pop_back();
  }
  return open.empty() && !quoted;
}

// A word with its operands: "random(7, 0, 1)", "random:7:0:1", "zeros".
struct Call {
  std::string_view word;
  std::string_view operands;  // as one text
  char separator = ',';
};

std::optional<Call> parse_call(std::string_view text) {
  const std::size_t end = text.find_first_of("(:");
  const std::string_view word = trimmed(text.substr(0, end));
  if (!is_name(word)) return std::nullopt;
  if (end == kNowhere) return Call{word, {}};
  if (text[end] == ':') return Call{word, trimmed(text.substr(end + 1)), ':'};
  const auto operands = inside(text.substr(end), '(', ')');
  if (!operands) return std::nullopt;
  return Call{word, trimmed(*operands)};
}

std::vector<std::string> operands_of(const Call& call) {
  std::vector<std::string> result;
  if (call.operands.empty()) return result;
  std::string_view rest = call.operands;
  for (;;) {
    const std::size_t at = find_outside(rest, std::string_view(&call.separator, 1));
    result.emplace_back(trimmed(rest.substr(0, at)));
    if (at == kNowhere) return result;
    rest.remove_prefix(at + 1);
  }
}

// Names have no values yet: a number is checked for its form only. One that names nothing is told when it is used.
Result<void> check_form(std::string_view number) {
  if (trimmed(number).empty()) return usage_error("a number is missing");
  if (!is_balanced(number)) return usage_error("the brackets of '{}' don't match", number);
  return {};
}

Result<Fill> fill_of_numbers(Fill::Kind kind, std::vector<std::string> numbers) {
  for (const std::string& number : numbers)
    if (auto ok = check_form(number); !ok) return tl::unexpected(ok.error());
  return Fill{kind, std::move(numbers), {}};
}

Result<Fill> fill_of_file(std::string_view path) {
  path = unquoted(path);
  if (path.empty()) return usage_error("the file's name is missing: file(in.bin)");
  return Fill{Fill::Kind::kFile, {}, std::string(path)};
}

Result<Fill> parse_fill(std::string_view text) {
  if (text.empty()) return usage_error("what it is filled with is missing: {}", kFills);
  if (text.front() == '@') return fill_of_file(trimmed(text.substr(1)));
  if (const auto list = inside(text, '{', '}')) {
    const auto parts = split_list(*list);
    if (parts.empty()) return usage_error("the list of values is empty");
    return fill_of_numbers(Fill::Kind::kValues, {parts.begin(), parts.end()});
  }
  const auto call = parse_call(text);
  if (call && call->word == "file") return fill_of_file(call->operands);
  if (call && (call->word == "count" || call->word == "random")) {
    auto operands = operands_of(*call);
    if (call->word == "count") {
      if (operands.size() > 2) return usage_error("count takes a start and a step at most: count(0, 1)");
      return fill_of_numbers(Fill::Kind::kCount, std::move(operands));
    }
    if (operands.size() != 1 && operands.size() != 3)
      return usage_error("random takes a seed, or a seed and a range: random(7), random(7, -1, 1)");
    return fill_of_numbers(Fill::Kind::kRandom, std::move(operands));
  }
  if (call && (call->word == "zeros" || call->word == "zero") && call->operands.empty()) return Fill{};
  // With brackets it cannot be a name that gets a value later.
  if (call && call->word.size() != text.size()) return usage_error("'{}' is not a fill; fills are {}", text, kFills);
  return fill_of_numbers(Fill::Kind::kConstant, {std::string(text)});
}

Result<Type> type_of(std::string_view text) {
  if (const auto type = parse_type(text)) return *type;
  return usage_error("'{}' is not a type; types are {}", text, type_names());
}

constexpr std::string_view kPointer = "ptr:";

// "f32[n]", "ptr:f32[n]", "ptr:f32" on the left of "=".
Result<Buffer> parse_shape(std::string_view text) {
  if (text.starts_with(kPointer)) text = trimmed(text.substr(kPointer.size()));
  Buffer buffer;
  const std::size_t bracket = text.find('[');
  const auto type = type_of(trimmed(text.substr(0, bracket)));
  if (!type) return tl::unexpected(type.error());
  buffer.type = *type;
  if (bracket == kNowhere) return buffer;
  const auto count = inside(text.substr(bracket), '[', ']');
  if (!count) return usage_error("'{}' lacks a closing bracket", text);
  buffer.count = trimmed(*count);
  if (buffer.count.empty()) return buffer;
  if (auto ok = check_form(buffer.count); !ok) return tl::unexpected(ok.error());
  return buffer;
}

bool names_its_size(Fill::Kind kind) { return kind == Fill::Kind::kFile || kind == Fill::Kind::kValues; }

Result<Buffer> parse_buffer_parts(std::string_view left, std::optional<std::string_view> right) {
  auto buffer = parse_shape(left);
  if (!buffer) return buffer;
  if (right) {
    auto fill = parse_fill(*right);
    if (!fill) return tl::unexpected(fill.error());
    buffer->fill = std::move(*fill);
  }
  if (buffer->count.empty() && !names_its_size(buffer->fill.kind))
    return usage_error("how many elements? Write ptr:{}[1024]", name_of(buffer->type));
  return buffer;
}

Result<Scalar> parse_scalar(Type type, std::string_view text) {
  Scalar scalar{type, std::string(text)};
  const auto call = parse_call(text);
  if (call && call->word == "bits") scalar.bits = true, scalar.number = call->operands;
  if (auto ok = check_form(scalar.number); !ok) return tl::unexpected(ok.error());
  return scalar;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<RawBytes> parse_bytes(std::string_view text) {
  RawBytes raw;
  const auto call = parse_call(text);
  if (text.starts_with('@') || (call && call->word == "file")) {
    const auto fill = parse_fill(text);
    if (!fill) return tl::unexpected(fill.error());
    raw.path = fill->path;
    return raw;
  }
  std::string digits;
  for (const char c : text)
    if (c != ' ' && c != '_') digits += c;
  const bool all_digits = std::all_of(digits.begin(), digits.end(), [](char c) { return digit_of(c) >= 0; });
  if (digits.empty() || digits.size() % 2 != 0 || !all_digits)
    return usage_error("'{}' is not bytes: two hexadecimal digits a byte, as in bytes=0a00ff, or bytes=file(path)",
                       text);
  for (std::size_t i = 0; i < digits.size(); i += 2)
    raw.bytes.push_back(static_cast<std::uint8_t>(16 * digit_of(digits[i]) + digit_of(digits[i + 1])));
  return raw;
}

Result<Address> parse_address(std::string_view text) {
  if (text == "null" || text == "nullptr") return Address{};
  const std::string_view place = text.starts_with('&') ? trimmed(text.substr(1)) : text;
  const std::size_t bracket = place.find('[');
  Address address{std::string(trimmed(place.substr(0, bracket))), {}};
  if (!is_name(address.buffer)) return usage_error("'{}' is not a buffer's name", address.buffer);
  if (bracket == kNowhere) return address;
  const auto index = inside(place.substr(bracket), '[', ']');
  if (!index || trimmed(*index).empty()) return usage_error("'{}' is not an element: write &A[16]", text);
  address.index = trimmed(*index);
  if (auto ok = check_form(address.index); !ok) return tl::unexpected(ok.error());
  return address;
}

Result<Argument> parse_at(std::string_view text, int depth);

Result<Structure> parse_structure(std::string_view list, int depth) {
  Structure structure;
  if (depth == kDeepest) return usage_error("over {} structures inside each other", kDeepest);
  for (const std::string_view part : split_list(list)) {
    auto field = parse_at(part, depth + 1);
    if (!field) return tl::unexpected(field.error());
    structure.fields.push_back(std::move(*field));
  }
  if (structure.fields.empty()) return usage_error("the structure is empty");
  return structure;
}

using Value = decltype(Argument::value);

template <class T>
Result<Value> to_value(Result<T> result) {
  if (!result) return tl::unexpected(result.error());
  return Value(std::move(*result));
}

// `text` has no name in front.
Result<Value> parse_value(std::string_view text, int depth) {
  if (text.empty()) return usage_error("the value is missing");
  if (const auto list = inside(text, '{', '}')) return to_value(parse_structure(*list, depth));
  const std::size_t equals = find_outside(text, "=");
  const std::string_view left = trimmed(text.substr(0, equals));
  const auto right = equals == kNowhere ? std::nullopt : std::optional(trimmed(text.substr(equals + 1)));
  if (right && left == "bytes") return to_value(parse_bytes(*right));
  if (right && left == "ptr") return to_value(parse_address(*right));
  if (right && parse_type(left)) return to_value(parse_scalar(*parse_type(left), *right));
  const bool subscripted = left.back() == ']' && parse_type(trimmed(left.substr(0, left.find('['))));
  if (left.starts_with(kPointer) || subscripted || right) return to_value(parse_buffer_parts(left, right));
  if (text.starts_with('&') || text == "null" || text == "nullptr") return to_value(parse_address(text));
  if (parse_type(text)) return usage_error("the value is missing: {}=1", text);
  if (auto ok = check_form(text); !ok) return tl::unexpected(ok.error());
  return Value(Scalar{std::nullopt, std::string(text)});
}

bool is_reserved(std::string_view word) { return word == "ptr" || word == "bytes" || parse_type(word).has_value(); }

Result<Argument> parse_at(std::string_view text, int depth) {
  Argument argument;
  argument.text = text;
  text = trimmed(text);
  if (!is_balanced(text)) return usage_error("its brackets or quotes don't match");
  const std::size_t equals = find_outside(text, "=");
  const std::string_view left = trimmed(text.substr(0, equals == kNowhere ? 0 : equals));
  if (is_name(left) && !is_reserved(left)) {
    argument.name = left;
    text = trimmed(text.substr(equals + 1));
  }
  auto value = parse_value(text, depth);
  if (!value) return tl::unexpected(value.error());
  argument.value = std::move(*value);
  return argument;
}

}  // namespace

Result<Argument> parse_argument(std::string_view text) { return parse_at(text, 0); }

Result<Buffer> parse_buffer(std::string_view text) {
  text = trimmed(text);
  if (!is_balanced(text)) return usage_error("its brackets or quotes don't match");
  const std::size_t equals = find_outside(text, "=");
  const std::string_view left = trimmed(text.substr(0, equals));
  return parse_buffer_parts(left, equals == kNowhere ? std::nullopt : std::optional(trimmed(text.substr(equals + 1))));
}

void for_each_path(Buffer& buffer, const std::function<void(std::string&)>& change) {
  if (!buffer.fill.path.empty()) change(buffer.fill.path);
}

void for_each_path(Argument& argument, const std::function<void(std::string&)>& change) {
  if (auto* buffer = std::get_if<Buffer>(&argument.value)) for_each_path(*buffer, change);
  if (auto* raw = std::get_if<RawBytes>(&argument.value); raw != nullptr && !raw->path.empty()) change(raw->path);
  if (auto* structure = std::get_if<Structure>(&argument.value))
    for (Argument& field : structure->fields) for_each_path(field, change);
}

}  // namespace lanescope::kernel_launch
