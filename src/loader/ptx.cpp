// How ptxas lays out shared memory, found by compiling kernels and reading the addresses back from their code: first
// the kernel's own arrays, then those that the file declares outside functions and the kernel or what it calls uses,
// then those of the functions that it calls; each in the order of declaration, each at the next multiple of its
// alignment. Several called functions with arrays come in an order that is not known. Dynamic arrays begin where the
// static ones end, at a multiple of the largest alignment of any `extern` one in the file, whether or not the kernel
// uses it.
#include "loader/ptx.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace lanescope::loader {
namespace {

constexpr std::uint64_t kMaxShared = 1u << 24;  // bytes of one array; far more than any chip has

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Words (identifiers, directives, numbers) and single characters; comments and strings are left out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // The next token, empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const std::size_t first = at_;
    if (is_word(text_[at_]))
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    else
      ++at_;
    return text_.substr(first, at_ - first);
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest[0] == '\0' || std::isspace(static_cast<unsigned char>(rest[0])) != 0)
        ++at_;
      else if (rest.starts_with("//"))
        skip_past(rest.find_first_of(std::string_view("\n\0", 2)), 1);
      else if (rest.starts_with("/*"))
        skip_past(rest.find("*/", 2), 2);
      else if (rest[0] == '"')
        skip_past(rest.find('"', 1), 1);
      else
        return;
    }
  }
  void skip_past(std::size_t found, std::size_t length) {
    at_ = found == std::string_view::npos ? text_.size() : at_ + found + length;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::uint64_t> number(std::string_view token) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return value;
}

// Bytes of ".b8", ".u32", ".f64", ".v4", or 0 for any other directive.
std::uint32_t type_bytes(std::string_view token) {
  if (token.size() < 3 || token[0] != '.') return 0;
  const auto bits = number(token.substr(2));
  const bool scalar = token[1] == 'b' || token[1] == 'u' || token[1] == 's' || token[1] == 'f';
  return scalar && bits && *bits >= 8 && *bits <= 128 ? static_cast<std::uint32_t>(*bits / 8) : 0;
}

// Reads ".align 4 .b8 name[12], other;" after ".shared"; several names in one statement share the type.
void read_shared(Tokens& tokens, bool is_extern, std::vector<PtxVariable>& out) {
  std::uint64_t alignment = 0, element = 0, lanes = 1;
  PtxVariable variable;
  std::uint64_t count = 1;
  const auto finish = [&] {
    if (variable.name.empty() || element == 0) return;
    variable.size = std::min(count, kMaxShared) * element * lanes;
    variable.alignment = static_cast<std::uint32_t>(alignment != 0 ? alignment : element * lanes);
    variable.is_extern = is_extern;
    out.push_back(variable);
    variable = {};
    count = 1;
  };
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == ";") return finish();
    if (token == "{" || token == "}") return;  // not a declaration
    if (token == ",") {
      finish();
    } else if (token == ".align") {
      alignment = number(tokens.next()).value_or(0);
      if (alignment > kMaxShared || (alignment & (alignment - 1)) != 0) alignment = 0;
    } else if (token == ".v2" || token == ".v4") {
      lanes = token == ".v2" ? 2 : 4;
    } else if (token == "[") {
      const auto length = number(tokens.next());
      count = length ? std::min(count, kMaxShared) * std::min(*length, kMaxShared) : 0;
    } else if (const std::uint32_t bytes = type_bytes(token); bytes != 0) {
      element = bytes;
    } else if (token[0] != '.' && token != "]" && variable.name.empty()) {
      variable.name = token;
    }
  }
}

// The name of ".entry name(" or ".func (.param .b32 result) name(".
std::string_view read_function_name(Tokens& tokens) {
  std::string_view token = tokens.next();
  if (token == "(") {
    while (!token.empty() && token != ")") token = tokens.next();
    token = tokens.next();
  }
  return token;
}

void keep_known(PtxFile& file) {
  std::unordered_set<std::string_view> known;
  for (const PtxVariable& variable : file.shared) known.insert(variable.name);
  for (const PtxFunction& function : file.functions) known.insert(function.name);
  for (PtxFunction& function : file.functions) {
    auto& names = function.identifiers;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::erase_if(names, [&](std::string_view name) { return !known.contains(name); });
  }
}

// The functions that a kernel reaches, itself first.
std::vector<const PtxFunction*> reachable(const PtxFile& ptx, const PtxFunction& kernel) {
  std::unordered_map<std::string_view, const PtxFunction*> by_name;
  for (const PtxFunction& function : ptx.functions) by_name.emplace(function.name, &function);
  std::vector<const PtxFunction*> result = {&kernel};
  std::unordered_set<const PtxFunction*> seen = {&kernel};
  for (std::size_t i = 0; i < result.size(); ++i)
    for (const std::string_view name : result[i]->identifiers)
      if (const auto found = by_name.find(name); found != by_name.end() && seen.insert(found->second).second)
        result.push_back(found->second);
  return result;
}

// "sA" of "void matmul<16>(float*)::sA"; what is not local keeps its qualifiers.
std::string local_name(std::string_view mangled) {
  const std::string full = demangle(std::string(mangled));
  if (!mangled.starts_with("_ZZ")) return full;
  const std::size_t colons = full.rfind("::");
  return colons == std::string::npos ? full : full.substr(colons + 2);
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

PtxFile read_ptx(std::string_view text) {
  PtxFile file;
  Tokens tokens(text);
  std::optional<PtxFunction> open;  // its header was read
  unsigned depth = 0;
  bool is_extern = false;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == ".shared") {
      read_shared(tokens, is_extern, depth > 0 && open ? open->shared : file.shared);
      is_extern = false;
    } else if (depth == 0 && (token == ".entry" || token == ".func")) {
      open = PtxFunction{.name = read_function_name(tokens), .is_entry = token == ".entry"};
    } else if (token == "{") {
      ++depth;
    } else if (token == "}") {
      depth -= depth > 0 ? 1 : 0;
      if (depth == 0 && open) {
        file.functions.push_back(std::move(*open));
        open.reset();
      }
    } else if (token == ";") {
      is_extern = false;
      if (depth == 0) open.reset();  // a prototype
    } else if (token == ".extern") {
      is_extern = true;
    } else if (depth > 0 && open && is_word(token[0]) && token[0] != '%' && token[0] != '.') {
      open->identifiers.push_back(token);
    }
  }
  keep_known(file);
  return file;
}

std::vector<SharedArray> lay_out_shared(const PtxFile& ptx, const Function& kernel) {
  const auto entry = std::find_if(ptx.functions.begin(), ptx.functions.end(),
                                  [&](const PtxFunction& f) { return f.is_entry && f.name == kernel.name; });
  if (entry == ptx.functions.end()) return {};
  const auto functions = reachable(ptx, *entry);
  std::unordered_set<std::string_view> used;
  for (const PtxFunction* function : functions) used.insert(function->identifiers.begin(), function->identifiers.end());

  std::vector<SharedArray> arrays;
  std::uint64_t end = 0;
  const auto place = [&](const PtxVariable& variable) {
    const std::uint64_t offset = round_up(end, variable.alignment);
    end = offset + variable.size;
    arrays.push_back({.name = local_name(variable.name),
                      .offset = static_cast<std::uint32_t>(kernel.shared_base + offset),
                      .size = static_cast<std::uint32_t>(variable.size),
                      .alignment = variable.alignment});
  };
  std::uint32_t dynamic_alignment = 1;
  for (const PtxVariable& variable : ptx.shared)
    if (variable.is_extern) dynamic_alignment = std::max(dynamic_alignment, variable.alignment);

  for (const PtxVariable& variable : entry->shared)
    if (!variable.is_extern) place(variable);
  for (const PtxVariable& variable : ptx.shared)
    if (!variable.is_extern && used.contains(variable.name)) place(variable);
  int with_arrays = 0;
  for (const PtxFunction* function : functions) {
    if (function == &*entry || function->shared.empty()) continue;
    if (++with_arrays > 1) return {};
    for (const PtxVariable& variable : function->shared) place(variable);
  }
  if (end > kMaxShared || round_up(end, dynamic_alignment) != kernel.static_shared) return {};
  for (const PtxVariable& variable : ptx.shared)
    if (variable.is_extern && used.contains(variable.name))
      arrays.push_back({.name = local_name(variable.name),
                        .offset = kernel.shared_base + kernel.static_shared,
                        .alignment = variable.alignment,
                        .dynamic = true});
  return arrays;
}

void attach_ptx(Module& module, std::string ptx) {
  if (module.ptx.empty()) module.ptx = std::move(ptx);
  const PtxFile file = read_ptx(module.ptx);
  for (Function& function : module.functions)
    if (function.is_kernel) function.shared_arrays = lay_out_shared(file, function);
}

}  // namespace lanescope::loader
