#include "kernel_launch/number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace lanescope::kernel_launch {
namespace {

constexpr int kDeepest = 64;  // nested brackets and signs
constexpr std::string_view kBlank = " \t\r\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The factor of a suffix, 0 where there is none.
std::uint64_t suffix_factor(char c) {
  switch (c) {
    case 'K':
      return std::uint64_t{1} << 10;
    case 'M':
      return std::uint64_t{1} << 20;
    case 'G':
      return std::uint64_t{1} << 30;
    default:
      return 0;
  }
}

// sum = product {(+|-) product}; product = factor {(*|/|%) factor}; factor = {+|-} (literal | name | "(" sum ")").
class Expression {
 public:
  Expression(std::string_view text, const Names& names) : text_(text), rest_(text), names_(names) {}

  Result<Number> value() {
    auto result = sum();
    if (result && !next_is_end()) return usage_error("'{}' is not a number: '{}' is left over", text_, rest_);
    return result;
  }

 private:
  void skip_blanks() {
    const std::size_t at = rest_.find_first_not_of(kBlank);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
  }
  bool next_is_end() {
    skip_blanks();
    return rest_.empty();
  }
  // The next character if it is one of these, taken; 0 otherwise.
  char take(std::string_view any) {
    skip_blanks();
    if (rest_.empty() || any.find(rest_.front()) == std::string_view::npos) return 0;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Result<Number> sum() { return chain("+-", &Expression::product); }
  Result<Number> product() { return chain("*/%", &Expression::factor); }

  Result<Number> chain(std::string_view operators, Result<Number> (Expression::*operand)()) {
    auto left = (this->*operand)();
    while (left) {
      const char op = take(operators);
      if (op == 0) break;
      const auto right = (this->*operand)();
      if (!right) return right;
      left = combine(op, *left, *right);
    }
    return left;
  }

  Result<Number> combine(char op, const Number& a, const Number& b) const {
    if (!a.whole || !b.whole) return combine_real(op, a.to_real(), b.to_real());
    Whole result = 0;
    bool overflow = false;
    switch (op) {
      case '+':
        overflow = __builtin_add_overflow(a.integer, b.integer, &result);
        break;
      case '-':
        overflow = __builtin_sub_overflow(a.integer, b.integer, &result);
        break;
      case '*':
        overflow = __builtin_mul_overflow(a.integer, b.integer, &result);
        break;
      default:
        if (b.integer == 0) return usage_error("'{}' divides by zero", text_);
        // The one quotient of 128 bits that does not fit.
        overflow = b.integer == -1 && a.integer == std::numeric_limits<Whole>::min();
        if (!overflow) result = op == '/' ? a.integer / b.integer : a.integer % b.integer;
    }
    if (overflow) return usage_error("'{}' is too large", text_);
    return Number::of(result);
  }

  static Result<Number> combine_real(char op, double a, double b) {
    switch (op) {
      case '+':
        return Number::of_real(a + b);
      case '-':
        return Number::of_real(a - b);
      case '*':
        return Number::of_real(a * b);
      case '/':
        return Number::of_real(a / b);
      default:
        return Number::of_real(std::fmod(a, b));
    }
  }

  Result<Number> factor() {
    if (depth_ == kDeepest) return usage_error("a number with over {} nested brackets and signs", kDeepest);
    ++depth_;
    auto result = signed_factor();
    --depth_;
    return result;
  }

  Result<Number> signed_factor() {
    if (const char sign = take("+-")) {
      auto result = factor();
      if (!result || sign == '+') return result;
      return result->whole ? combine('-', Number::of(0), *result) : Number::of_real(-result->real);
    }
    if (take("(") != 0) {
      auto result = sum();
      if (result && take(")") == 0) return usage_error("'{}' lacks a closing bracket", text_);
      return result;
    }
    skip_blanks();
    if (rest_.empty()) return usage_error("'{}' lacks a number", text_);
    if (is_letter(rest_.front())) return name();
    if (!is_digit(rest_.front()) && rest_.front() != '.') return usage_error("'{}' is not a number", text_);
    return literal();
  }

  Result<Number> name() {
    std::size_t length = 0;
    while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]))) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word == "inf") return Number::of_real(std::numeric_limits<double>::infinity());
    if (word == "nan") return Number::of_real(std::numeric_limits<double>::quiet_NaN());
    const auto found = names_.find(word);
    if (found == names_.end()) return usage_error("'{}' has no value here", word);
    return found->second;
  }

  Result<Number> literal() {
    if (rest_.starts_with("0x") || rest_.starts_with("0X")) {
      rest_.remove_prefix(2);
      return whole_literal(16);
    }
    const std::size_t end = rest_.find_first_not_of("0123456789");
    const char after = end < rest_.size() ? rest_[end] : '\0';
    return after == '.' || after == 'e' || after == 'E' ? real_literal() : whole_literal(10);
  }

  Result<Number> whole_literal(int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error == std::errc::result_out_of_range) return usage_error("'{}' is too large for 64 bits", text_);
    if (error != std::errc{}) return usage_error("'{}' is not a number", text_);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    const std::uint64_t factor = rest_.empty() ? 0 : suffix_factor(rest_.front());
    if (factor == 0) return Number::of(value);
    rest_.remove_prefix(1);
    return Number::of(Whole{value} * factor);
  }

  Result<Number> real_literal() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) return usage_error("'{}' is outside the range of f64", text_);
    if (error != std::errc{}) return usage_error("'{}' is not a number", text_);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'f') rest_.remove_prefix(1);  // 1.5f, as in C
    return Number::of_real(value);
  }

  std::string_view text_, rest_;
  const Names& names_;
  int depth_ = 0;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool is_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

Result<Number> evaluate(std::string_view text, const Names& names) { return Expression(trimmed(text), names).value(); }

Result<Whole> to_whole(const Number& number) {
  if (number.whole) return number.integer;
  constexpr double kLimit = 0x1p64;  // beyond, no type holds it
  if (!(std::fabs(number.real) <= kLimit) || std::trunc(number.real) != number.real)
    return usage_error("{} is not a whole number", number.real);
  return static_cast<Whole>(number.real);
}

std::string to_text(const Number& number) {
  return number.whole ? fmt::format("{}", number.integer) : fmt::format("{}", number.real);
}

Result<std::uint64_t> evaluate_count(std::string_view text, const Names& names, std::string_view what,
                                     std::uint64_t least, std::uint64_t most) {
  const auto number = evaluate(text, names);
  if (!number) return tl::unexpected(number.error());
  const auto whole = to_whole(*number);
  if (!whole) return usage_error("{}: {}", what, whole.error().message);
  if (*whole < least) return usage_error("{} is {}: at least {} is needed", what, *whole, least);
  if (*whole > most) return usage_error("{} is {}: at most {} is possible", what, *whole, most);
  return static_cast<std::uint64_t>(*whole);
}

}  // namespace lanescope::kernel_launch
