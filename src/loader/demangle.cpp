// Nsight Compute names a kernel as the vendor's front end does. It differs from the usual demangler in its spelling:
//   abi::__cxa_demangle                          here
//   f(float const*, int const&)                  f(const float *, const int &)
//   void f<16, true, 3u>(...)                    void f<(int)16, (bool)1, (unsigned int)3>(...)
//   void f<float>(float*)    [T* in the source]  void f<float>(T1 *)
//   (anonymous namespace)::f                     <unnamed>::f
//   {lambda(int)#1}::operator()                  [lambda(int) (instance 1)]::operator ()
//   f<int>(int)::{lambda()#1}                    void f<int>(int)::[lambda() (instance 1)]
// Spelling is changed in the demangled text. Parameters that depend on template arguments are not: the mangled form
// names them T_, T0_, ... So before demangling, in the parameter lists only, each is renamed to a plain name T1, T2,
// ...; both are one entry in the mangling's list of substitutions, so back references stay right.
#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <optional>

#include "loader/module.h"

namespace lanescope::loader {
namespace {

// Back references can double a name's length each: with 40 of them a hostile name grows to some tens of megabytes at
// most. The longest names of kernels of large template libraries have fewer than 30.
constexpr std::size_t kMaxReferences = 40;
constexpr std::size_t kMaxMangled = 4096;

// Return types that a mark can stand for, by the letter of the mangling that follows the mark.
constexpr char kMark = '\x01';
constexpr std::pair<char, std::string_view> kMarkedTypes[] = {
    {'v', "void"}, {'b', "bool"},          {'c', "char"},  {'i', "int"},   {'j', "unsigned int"},
    {'l', "long"}, {'m', "unsigned long"}, {'f', "float"}, {'d', "double"}};

std::string_view marked_type(char letter) {
  for (const auto& [known, type] : kMarkedTypes)
    if (known == letter) return type;
  return {};
}

// Walks an Itanium-mangled name and copies it with the template parameters of parameter lists renamed. It knows the
// grammar but for expressions; at those it gives up, and the name is demangled as it is.
class Renamer {
 public:
  explicit Renamer(std::string_view text) : text_(text) {}

  std::optional<std::string> rename() {
    if (!take("_Z") || !encoding()) return std::nullopt;
    if (at_ < text_.size() && text_[at_] != '.') return std::nullopt;
    out_ += text_.substr(at_);
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool is_digit(std::size_t ahead = 0) const { return std::isdigit(static_cast<unsigned char>(peek(ahead))) != 0; }
  bool copy(std::size_t count) {
    if (count > text_.size() - at_) return false;
    out_ += text_.substr(at_, count);
    at_ += count;
    return true;
  }
  bool take(std::string_view token) { return text_.substr(at_).starts_with(token) && copy(token.size()); }
  bool copy_until(char end) {  // up to and with `end`
    const std::size_t found = text_.find(end, at_);
    return found != std::string_view::npos && copy(found - at_ + 1);
  }

  bool encoding(bool local = false) {
    const bool outer = in_signature_;
    in_signature_ = false;
    last_name_ = {};
    if (!name()) return false;
    // Templates have their return type before the parameters.
    if (local && out_.ends_with('E') && last_name_.template_arguments && !marked_type(peek()).empty()) mark(peek());
    in_signature_ = true;
    while (at_ < text_.size() && peek() != 'E' && peek() != '.')
      if (!type()) return false;
    in_signature_ = outer;
    return true;
  }

  bool name() {
    if (peek() == 'N') return nested_name();
    if (peek() == 'Z') return local_name();
    if (take("St")) return unqualified_name() && optional_arguments();
    if (peek() == 'S') return substitution() && optional_arguments();
    return unqualified_name() && optional_arguments();
  }

  bool nested_name() {
    copy(1);
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') copy(1);
    if (peek() == 'R' || peek() == 'O') copy(1);
    while (peek() != 'E') {
      const char c = peek();
      const bool done = c == 'S'   ? (take("St") || substitution())
                        : c == 'T' ? parameter()
                        : c == 'I' ? arguments()
                                   : unqualified_name();
      if (!done) return false;
    }
    return copy(1);
  }

  bool local_name() {
    copy(1);
    if (!encoding(true) || !take("E")) return false;
    if (take("s")) return discriminator();
    if (take("d") && !copy_until('_')) return false;
    return name() && discriminator();
  }

  bool discriminator() {
    if (peek() != '_') return true;
    if (peek(1) == '_') return copy(2) && copy_until('_');
    return is_digit(1) ? copy(2) : true;
  }

  bool unqualified_name() {
    if (peek() == 'L') copy(1);  // of internal linkage
    last_name_ = {};
    if (is_digit()) {
      const std::size_t first = out_.size();
      if (!source_name()) return false;
      last_name_ = {.first = first, .end = out_.size()};
    } else if (peek() == 'U' && peek(1) == 'l') {
      if (!lambda()) return false;
    } else if (peek() == 'U' && peek(1) == 't') {
      if (!copy_until('_')) return false;
    } else if ((peek() == 'C' || peek() == 'D') && is_digit(1)) {
      copy(2);  // constructor, destructor
    } else if (take("cv")) {
      if (!type()) return false;
    } else if (std::islower(static_cast<unsigned char>(peek())) != 0 &&
               std::isalpha(static_cast<unsigned char>(peek(1))) != 0) {
      copy(2);  // operator
    } else {
      return false;
    }
    while (take("B"))
      if (!source_name()) return false;
    return true;
  }

  bool source_name() {
    std::size_t length = 0;
    std::size_t digits = 0;
    while (is_digit(digits) && digits < 6) length = length * 10 + static_cast<std::size_t>(peek(digits++) - '0');
    return digits > 0 && copy(digits) && copy(length);
  }

  bool lambda() {
    const bool outer = in_signature_;
    in_signature_ = false;
    copy(2);
    while (peek() != 'E')
      if (!type()) return false;
    in_signature_ = outer;
    return copy(1) && copy_until('_');
  }

  bool substitution() {
    if (peek(1) != '\0' && std::string_view("absiod").find(peek(1)) != std::string_view::npos) return copy(2);
    return peek() == 'S' && copy_until('_');
  }

  bool parameter() {
    std::size_t number = 0, length = 1;
    while (is_digit(length) && length < 6) number = number * 10 + static_cast<std::size_t>(peek(length++) - '0');
    if (peek(length) != '_') return false;
    if (!in_signature_) return copy(length + 1);
    const std::string plain = fmt::format("T{}", length == 1 ? 1 : number + 2);
    out_ += fmt::format("{}{}", plain.size(), plain);
    at_ += length + 1;
    return true;
  }

  bool optional_arguments() { return peek() != 'I' || arguments(); }

  bool arguments() {  // I ... E, or J ... E inside
    const Name outer = last_name_;
    copy(1);
    while (peek() != 'E') {
      const bool done = peek() == 'J' ? arguments() : peek() == 'L' ? literal() : type();
      if (!done) return false;
    }
    last_name_ = outer;
    last_name_.template_arguments = true;
    return copy(1);
  }

  // Appends the mark and `type` to the identifier of the last name.
  void mark(char type) {
    const std::string_view text = std::string_view(out_).substr(last_name_.first, last_name_.end - last_name_.first);
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return;
    const std::string_view identifier = text.substr(digits);
    const std::string marked = fmt::format("{}{}{}{}", identifier.size() + 2, identifier, kMark, type);
    out_.replace(last_name_.first, text.size(), marked);
  }

  bool literal() {
    copy(1);
    if (take("_Z")) return encoding() && take("E");
    return type() && copy_until('E');
  }

  bool type() {
    const char c = peek();
    if (is_digit() || c == 'N' || c == 'Z') return name();
    switch (c) {
      case 'r':
      case 'V':
      case 'K':
      case 'P':
      case 'R':
      case 'O':
      case 'C':
      case 'G':
        return copy(1) && type();
      case 'T':
        return parameter() && optional_arguments();
      case 'S':
        return name();
      case 'F':
        return function();
      case 'M':
        return copy(1) && type() && type();
      case 'A':
        return (is_digit(1) || peek(1) == '_') && copy_until('_') && type();
      case 'u':
        return copy(1) && source_name() && optional_arguments();
      case 'D':
        return special_type();
      default:
        return std::islower(static_cast<unsigned char>(c)) != 0 && copy(1);
    }
  }

  bool special_type() {
    const char c = peek(1);
    if (c == 'p') return copy(2) && type();
    if (c == 'v') return is_digit(2) && copy_until('_') && type();
    if (c == 'F') {  // _Float16 and its like: DF16_, DF16b
      copy(2);
      while (is_digit()) copy(1);
      return (peek() == '_' || peek() == 'b' || peek() == 'x') && copy(1);
    }
    return c != '\0' && std::string_view("defhisaun").find(c) != std::string_view::npos && copy(2);
  }

  bool function() {
    copy(1);
    if (peek() == 'Y') copy(1);
    while (peek() != 'E') {
      if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E')
        copy(1);
      else if (!type())
        return false;
    }
    return copy(1);
  }

  // The source name that was read last on this level, in out_, and whether template arguments followed it.
  struct Name {
    std::size_t first = 0, end = 0;
    bool template_arguments = false;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  bool in_signature_ = false;
  Name last_name_;
};

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// "{lambda(int)#1}" to "[lambda(int) (instance 1)]".
void respell_lambdas(std::string& text) {
  for (std::size_t at = text.find("{lambda("); at != std::string::npos; at = text.find("{lambda(", at)) {
    unsigned depth = 0;
    std::size_t end = at;
    while (end < text.size()) {
      depth += text[end] == '{' ? 1 : 0;
      if (text[end] == '}' && --depth == 0) break;
      ++end;
    }
    const std::size_t hash = text.rfind('#', end);
    if (end == text.size() || hash == std::string::npos || hash < at) return;
    text.replace(hash, end - hash + 1, fmt::format(" (instance {})]", text.substr(hash + 1, end - hash - 1)));
    text[at] = '[';
  }
}

// The typed form of a template argument that is a number: "16" is "(int)16", "true" is "(bool)1".
std::optional<std::string> typed_literal(std::string_view argument) {
  if (argument == "true") return "(bool)1";
  if (argument == "false") return "(bool)0";
  std::size_t digits = argument.starts_with('-') ? 1 : 0;
  const std::size_t first = digits;
  while (digits < argument.size() && std::isdigit(static_cast<unsigned char>(argument[digits])) != 0) ++digits;
  if (digits == first) return std::nullopt;
  const std::string_view suffix = argument.substr(digits);
  const std::string_view type = suffix.empty()    ? "int"
                                : suffix == "u"   ? "unsigned int"
                                : suffix == "l"   ? "long"
                                : suffix == "ul"  ? "unsigned long"
                                : suffix == "ll"  ? "long long"
                                : suffix == "ull" ? "unsigned long long"
                                                  : "";
  if (type.empty()) return std::nullopt;
  return fmt::format("({}){}", type, argument.substr(0, digits));
}

std::string respell_literals(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = out.ends_with('<') || out.ends_with(", ");
    const std::size_t end = starts ? text.find_first_of(",>", at) : std::string::npos;
    const auto literal =
        end != std::string::npos ? typed_literal(std::string_view(text).substr(at, end - at)) : std::nullopt;
    if (literal) {
      out += *literal;
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// Where the type that ends before `end` begins: after the last bracket or comma that is open there.
std::size_t type_start(const std::string& text, std::size_t end) {
  int depth = 0;
  std::size_t at = end;
  while (at > 0) {
    const char c = text[at - 1];
    if (c == '>' || c == ')' || c == ']' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '[' || c == '{') {
      if (depth == 0) break;
      --depth;
    }
    if (c == ',' && depth == 0) break;
    --at;
  }
  while (at < end && text[at] == ' ') ++at;
  return at;
}

// Puts the marked return types where they belong.
void place_return_types(std::string& text) {
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark)) {
    const std::string type(at + 1 < text.size() ? marked_type(text[at + 1]) : std::string_view());
    text.erase(at, type.empty() ? 1 : 2);
    if (!type.empty()) text.insert(type_start(text, at), type + " ");
  }
}

// "float const*" to "const float*", "float* const" to "float*const".
void move_qualifier(std::string& text, std::string_view qualifier) {
  const std::string token = fmt::format(" {}", qualifier);
  for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + 1)) {
    const std::size_t after = at + token.size();
    if (at == 0 || (after < text.size() && (is_identifier(text[after]) || text[after] == ':'))) continue;
    const char before = text[at - 1];
    if (before == ')' || before == ',') continue;  // a member function's
    if (before == '*' || before == '&') {
      text.erase(at, 1);
      continue;
    }
    text.erase(at, token.size());
    std::size_t start = type_start(text, at);
    if (std::string_view(text).substr(start).starts_with("const ")) start += 6;
    text.insert(start, fmt::format("{} ", qualifier));
  }
}

// "float*" to "float *", "float (&) [3]" to "float (&)[3]".
std::string space_pointers(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '*' || c == '&') && !out.empty()) {
      const char before = out.back();
      if (is_identifier(before) || before == '>' || before == ']' || before == ')') out += ' ';
    }
    if (c == ' ' && out.ends_with(')') && at + 1 < text.size() && text[at + 1] == '[') continue;
    out += c;
  }
  return out;
}

std::optional<std::string> plain_demangle(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return std::nullopt;
  return std::string(text.get());
}

std::size_t references(std::string_view mangled) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < mangled.size() && std::isalnum(static_cast<unsigned char>(mangled[end])) != 0 && end - i < 5) ++end;
    count += end < mangled.size() && mangled[end] == '_' ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string demangle(const std::string& mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > kMaxMangled || references(mangled) > kMaxReferences)
    return mangled;
  const auto renamed = Renamer(mangled).rename();
  auto text = renamed ? plain_demangle(*renamed) : std::nullopt;
  if (!text) text = plain_demangle(mangled);
  if (!text) return mangled;
  place_return_types(*text);
  replace_all(*text, "(anonymous namespace)", "<unnamed>");
  replace_all(*text, "operator()", "operator ()");
  replace_all(*text, "> >", ">>");
  replace_all(*text, "> >", ">>");
  respell_lambdas(*text);
  move_qualifier(*text, "const");
  move_qualifier(*text, "volatile");
  return space_pointers(respell_literals(*text));
}

}  // namespace lanescope::loader
