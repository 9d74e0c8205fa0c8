#include "kernel_launch/signature.h"

#include <algorithm>
#include <array>

#include "kernel_launch/number.h"

namespace lanescope::kernel_launch {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// The bracket that the last character, ")", closes.
std::size_t opening_of_last(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return kNowhere;
}

struct CppType {
  std::string_view name;
  Type type;
};

constexpr auto kCppTypes = std::to_array<CppType>({
    {"bool", Type::kU8},
    {"char", Type::kI8},
    {"signed char", Type::kI8},
    {"unsigned char", Type::kU8},
    {"short", Type::kI16},
    {"unsigned short", Type::kU16},
    {"int", Type::kI32},
    {"unsigned int", Type::kU32},
    {"long", Type::kI64},
    {"unsigned long", Type::kU64},
    {"long long", Type::kI64},
    {"unsigned long long", Type::kU64},
    {"float", Type::kF32},
    {"double", Type::kF64},
    {"__half", Type::kF16},
    {"__nv_bfloat16", Type::kBf16},
});

bool is_pointer(std::string_view type) {
  for (const std::string_view suffix : {"const", "volatile", "__restrict__", "restrict"})
    if (type.ends_with(suffix)) type = trimmed(type.substr(0, type.size() - suffix.size()));
  return type.ends_with('*');
}

std::optional<Type> scalar_type(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  const auto found = std::find_if(kCppTypes.begin(), kCppTypes.end(), [&](const CppType& t) { return t.name == type; });
  return found == kCppTypes.end() ? std::nullopt : std::optional(found->type);
}

// One declaration: ".param .u64 .ptr .align 1 saxpy_param_0", ".param .align 8 .b8 f_param_1[16]".
ParameterType type_of_declaration(std::string_view text) {
  ParameterType type;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    std::string_view word = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
    if (word == ".ptr") type.pointer = true;
    if (!word.starts_with('.') || word == ".param" || word == ".align" || word == ".ptr" || !type.text.empty())
      continue;
    type.text = word;
    word.remove_prefix(1);
    // .b32 and the like are bits of any type.
    if (!word.starts_with('b') || word == "bf16") type.scalar = parse_type(word);
  }
  return type;
}

// The parameters of `kernel` as its PTX declares them; nothing where it does not.
std::vector<ParameterType> types_of_ptx(std::string_view ptx, std::string_view kernel) {
  std::vector<ParameterType> types;
  for (std::size_t at = ptx.find(".entry"); at != kNowhere; at = ptx.find(".entry", at + 1)) {
    const std::size_t open = ptx.find_first_of("({", at);
    if (open == kNowhere || ptx[open] != '(' || trimmed(ptx.substr(at + 6, open - at - 6)) != kernel) continue;
    std::string_view list = ptx.substr(open + 1);
    list = list.substr(0, list.find(')'));
    for (; !trimmed(list).empty(); list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1))
      types.push_back(type_of_declaration(trimmed(list.substr(0, list.find(',')))));
    break;
  }
  return types;
}

}  // namespace

std::vector<ParameterType> parameter_types(const loader::Function& kernel, std::string_view ptx) {
  const std::size_t count = kernel.parameters.size();
  std::vector<ParameterType> types, of_ptx = types_of_ptx(ptx, kernel.name);
  for (const std::string& text : parameter_types(kernel.demangled).value_or(std::vector<std::string>()))
    types.push_back({text, is_pointer(text), scalar_type(text)});
  if (of_ptx.size() != count) of_ptx.assign(count, {});
  if (types.size() != count) types = of_ptx;
  for (std::size_t i = 0; i < count; ++i) {
    // A template's parameter: the name says T1.
    if (types[i].pointer || types[i].scalar || !of_ptx[i].scalar) continue;
    types[i] = {fmt::format("{} ({})", types[i].text, of_ptx[i].text), of_ptx[i].pointer, of_ptx[i].scalar};
  }
  // Never against the sizes, which machine code knows better.
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i].scalar && size_of(*types[i].scalar) != kernel.parameters[i].size) types[i] = {};
  return types;
}

std::optional<std::vector<std::string>> parameter_types(std::string_view demangled) {
  if (!demangled.ends_with(')')) return std::nullopt;
  const std::size_t open = opening_of_last(demangled);
  if (open == kNowhere) return std::nullopt;
  const std::string_view list = demangled.substr(open + 1, demangled.size() - open - 2);
  std::vector<std::string> types;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth != 0 && i < list.size())) continue;
    types.emplace_back(trimmed(list.substr(start, i - start)));
    start = i + 1;
  }
  if (types.size() == 1 && (types[0].empty() || types[0] == "void")) types.clear();
  return types;
}

std::string_view bare_name(std::string_view demangled) {
  std::string_view name = demangled;
  if (name.ends_with(')')) name = name.substr(0, std::min(opening_of_last(name), name.size()));
  // Of a template, up to its arguments; what stands before the last blank outside them is the type that it returns.
  int depth = 0;
  std::size_t end = name.size(), start = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' && depth++ == 0) end = i;
    if (name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0) start = i + 1, end = name.size();
  }
  return start <= end ? name.substr(start, end - start) : name;
}

}  // namespace lanescope::kernel_launch
