// Correctly rounded arithmetic in any binary format, by MPFR.
#pragma once

#include <cstdint>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

namespace lanescope::reference {

// Bits and exponents as IEEE counts them: precision with the hidden bit, the exponent of the largest finite value.
struct Format {
  int precision;
  int largest_exponent;
  int width;
};
inline constexpr Format kHalf{11, 15, 16}, kBfloat{8, 127, 16}, kSingle{24, 127, 32}, kDouble{53, 1023, 64};

// In the order of the instructions' rounding field.
inline constexpr mpfr_rnd_t kRoundings[4] = {MPFR_RNDN, MPFR_RNDD, MPFR_RNDU, MPFR_RNDZ};

// An MPFR number with enough bits for the exact result of anything below.
class Number {
 public:
  static constexpr mpfr_prec_t kExact = 4400;  // from 2^1024 to 2^-2148 and more
  Number() { mpfr_init2(value_, kExact); }
  explicit Number(double v) : Number() { mpfr_set_d(value_, v, MPFR_RNDN); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// The bits of x, which is not NaN, rounded to a format.
inline std::uint64_t bits_of(mpfr_srcptr x, Format f, mpfr_rnd_t rounding) {
  const int fraction = f.precision - 1, least = 1 - f.largest_exponent;
  const std::uint64_t sign = mpfr_signbit(x) ? std::uint64_t{1} << (f.width - 1) : 0;
  const std::uint64_t infinity = static_cast<std::uint64_t>(2 * f.largest_exponent + 1) << fraction;
  if (mpfr_inf_p(x)) return sign | infinity;
  mpfr_t r;
  mpfr_init2(r, static_cast<mpfr_prec_t>(f.precision));
  const mpfr_exp_t old_min = mpfr_get_emin(), old_max = mpfr_get_emax();
  mpfr_set_emin(least - fraction + 1), mpfr_set_emax(f.largest_exponent + 1);
  int direction = mpfr_set(r, x, rounding);
  direction = mpfr_check_range(r, direction, rounding);
  mpfr_subnormalize(r, direction, rounding);
  mpfr_set_emin(old_min), mpfr_set_emax(old_max);
  std::uint64_t bits = sign;
  if (mpfr_inf_p(r)) {
    bits |= infinity;
  } else if (!mpfr_zero_p(r)) {
    const int exponent = static_cast<int>(mpfr_get_exp(r)) - 1, unit = (exponent < least ? least : exponent) - fraction;
    mpfr_abs(r, r, MPFR_RNDN);
    mpfr_mul_2si(r, r, -unit, MPFR_RNDN);  // a whole number
    const std::uint64_t whole = mpfr_get_uj(r, MPFR_RNDN);
    bits |= exponent < least ? whole : (static_cast<std::uint64_t>(exponent - least) << fraction) + whole;
  }
  mpfr_clear(r);
  return bits;
}

}  // namespace lanescope::reference
