// Floating-point instructions against correctly rounded results by MPFR, and the multi-function unit against checksums
// of all its results on an H200; each on all targets of this processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "one_instruction.h"
#include "reference.h"

namespace lanescope::engine {
namespace {

using reference::bits_of;
using reference::Format;
using reference::kRoundings;
using reference::Number;

// Operation `operation` in form 1, guard PT: d = R8, a = R2, b = R4, c = R6; `high` is the upper word above c.
constexpr Word128 word(unsigned operation, std::uint64_t high, unsigned a = 2, unsigned b = 4, unsigned c = 6) {
  return {operation | 1u << 9 | 7u << 12 | 8u << 16 | a << 24 | std::uint64_t{b} << 32, high << 8 | c};
}
// The same with bit numbers from 72 on for the modifiers.
constexpr std::uint64_t at(unsigned bit, std::uint64_t value) { return value << (bit - 72); }
constexpr Word128 unary(unsigned operation, std::uint64_t high) { return word(operation, high, 0, 2, 0); }

class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : random_(seed) {}
  std::uint64_t bits() { return random_(); }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  // Values of a format by their bits: often special, often of similar exponents, so that sums cancel and round.
  std::uint64_t value(Format f) {
    const int fraction = f.precision - 1;
    const std::uint64_t sign = (bits() & 1) << (f.width - 1), ones = (std::uint64_t{1} << fraction) - 1;
    const auto exponent = [&](int e) { return static_cast<std::uint64_t>(e) << fraction; };
    const int bias = f.largest_exponent;
    switch (below(8)) {
      case 0: {
        const std::uint64_t special[] = {0,
                                         1,
                                         ones,
                                         exponent(1),
                                         exponent(bias),
                                         exponent(bias) + 1,
                                         exponent(bias - 1) + ones,
                                         exponent(2 * bias) + ones,
                                         exponent(2 * bias + 1),
                                         exponent(2 * bias)};
        return sign | special[below(10)];
      }
      case 1:
        return sign | (bits() & ones);  // denormal
      case 2:
        return sign | exponent(1 + below(2 * bias)) | (bits() & ones);
      case 3:
        return sign | exponent(bias - 4 + below(8)) | (bits() & ones & ~(ones >> below(fraction + 1)));  // few bits
      default:
        return sign | exponent(bias - 4 + below(8)) | (bits() & ones);
    }
  }

 private:
  std::mt19937_64 random_;
};

double to_double(std::uint64_t bits, Format f) {
  switch (f.width) {
    case 64:
      return std::bit_cast<double>(bits);
    case 32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      break;
  }
  if (f.precision == 8) return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  const double magnitude = exponent == 31  ? (fraction != 0 ? std::nan("") : std::numeric_limits<double>::infinity())
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// a * b + c without rounding. A sum that is exactly zero gets its sign when it is rounded, so tell the rounding.
void exact_fma(Number& result, double a, double b, double c, mpfr_rnd_t rounding) {
  Number x(a), y(b), z(c);
  mpfr_fma(result.get(), x.get(), y.get(), z.get(), rounding);
}

constexpr int kRounds = 3000;  // of 32 lanes

class FloatingPoint : public ::testing::TestWithParam<const Target*> {};
INSTANTIATE_TEST_SUITE_P(Targets, FloatingPoint, ::testing::ValuesIn(available_targets()),
                         [](const auto& test) { return std::string(test.param->name); });

struct Arithmetic {
  const char* name;
  unsigned operation;
  bool adds, multiplies;
};

TEST_P(FloatingPoint, DoublesAreRoundedOnceInEveryRounding) {
  for (const Arithmetic& op :
       {Arithmetic{"DADD", 0x029, true, false}, {"DMUL", 0x028, false, true}, {"DFMA", 0x02b, true, true}})
    for (unsigned rounding = 0; rounding < 4; ++rounding) {
      const bool fused = op.adds && op.multiplies;
      // The encoding has DADD's second source where other operations have c.
      OneInstruction run(*GetParam(), op.multiplies ? word(op.operation, at(78, rounding), 2, 4, fused ? 6 : 0)
                                                    : word(op.operation, at(78, rounding), 2, 0, 4));
      Inputs in(op.operation + rounding);
      for (int round = 0; round < kRounds / 4; ++round) {
        double a[kLanes], b[kLanes], c[kLanes];
        for (int l = 0; l < kLanes; ++l) {
          a[l] = to_double(in.value(reference::kDouble), reference::kDouble);
          b[l] = to_double(in.value(reference::kDouble), reference::kDouble);
          c[l] = in.below(2) == 0 ? -a[l] * b[l] : to_double(in.value(reference::kDouble), reference::kDouble);
          run.set64(2, l, std::bit_cast<std::uint64_t>(a[l]));
          run.set64(4, l, std::bit_cast<std::uint64_t>(op.multiplies ? b[l] : c[l]));
          run.set64(6, l, std::bit_cast<std::uint64_t>(c[l]));
        }
        run.run();
        for (int l = 0; l < kLanes; ++l) {
          Number exact;
          if (fused) exact_fma(exact, a[l], b[l], c[l], kRoundings[rounding]);
          if (op.multiplies && !op.adds)
            exact_fma(exact, a[l], b[l], std::signbit(a[l]) != std::signbit(b[l]) ? -0.0 : 0.0, MPFR_RNDN);
          if (!op.multiplies) exact_fma(exact, a[l], 1.0, c[l], kRoundings[rounding]);
          if (mpfr_nan_p(exact.get())) continue;  // tests/results has what becomes of NaNs
          ASSERT_EQ(run.get64(8, l), bits_of(exact.get(), reference::kDouble, kRoundings[rounding]))
              << op.name << " rounding " << rounding << ": " << a[l] << ", " << b[l] << ", " << c[l];
        }
      }
    }
}

TEST_P(FloatingPoint, PairsAreRoundedOnce) {
  struct Case {
    Arithmetic op;
    Format format;
    std::uint64_t high;
  };
  const Arithmetic add{"HADD2", 0x030, true, false}, multiply{"HMUL2", 0x032, false, true},
      fma{"HFMA2", 0x031, true, true};
  for (const Case& test : {Case{add, reference::kHalf, 0},
                           {multiply, reference::kHalf, 0},
                           {fma, reference::kHalf, 0},
                           {add, reference::kBfloat, at(85, 1)},
                           {multiply, reference::kBfloat, at(85, 1)},
                           {fma, reference::kBfloat, at(85, 1)}}) {
    const bool both = test.op.adds && test.op.multiplies;
    OneInstruction run(*GetParam(), word(test.op.operation, test.high, 2, 4, both ? 6 : 0));
    Inputs in(test.op.operation + static_cast<unsigned>(test.format.precision));
    for (int round = 0; round < kRounds; ++round) {
      for (int l = 0; l < kLanes; ++l) {
        std::uint32_t a = 0, b = 0, c = 0;
        for (int half = 0; half < 2; ++half) {
          const std::uint64_t x = in.value(test.format), y = in.value(test.format);
          std::uint64_t z = in.value(test.format);
          if (in.below(2) == 0) {  // near the product, or far below a midpoint
            Number product(-to_double(x, test.format) * to_double(y, test.format));
            if (!mpfr_nan_p(product.get())) z = bits_of(product.get(), test.format, MPFR_RNDN);
          }
          a |= static_cast<std::uint32_t>(x) << 16 * half;
          b |= static_cast<std::uint32_t>(y) << 16 * half;
          c |= static_cast<std::uint32_t>(z) << 16 * half;
        }
        run.reg(2)[l] = a, run.reg(4)[l] = b, run.reg(6)[l] = c;
      }
      run.run();
      for (int l = 0; l < kLanes; ++l)
        for (int half = 0; half < 2; ++half) {
          const auto part = [&](unsigned reg) { return run.reg(reg)[l] >> 16 * half & 0xffff; };
          const double a = to_double(part(2), test.format), b = to_double(part(4), test.format),
                       c = to_double(part(6), test.format);
          Number exact;
          if (both) exact_fma(exact, a, b, c, MPFR_RNDN);
          if (!test.op.adds) exact_fma(exact, a, b, std::signbit(a) != std::signbit(b) ? -0.0 : 0.0, MPFR_RNDN);
          if (!test.op.multiplies) exact_fma(exact, a, 1.0, b, MPFR_RNDN);
          const std::uint64_t want = mpfr_nan_p(exact.get()) ? 0x7fff : bits_of(exact.get(), test.format, MPFR_RNDN);
          ASSERT_EQ(part(8), want) << test.op.name << " precision " << test.format.precision << std::hex << ": "
                                   << part(2) << ", " << part(4) << ", " << part(6);
        }
    }
  }
}

TEST_P(FloatingPoint, DoublesConvertToEveryFormatInEveryRounding) {
  struct Case {
    Format format;
    unsigned code;
  };
  for (const Case& test : {Case{reference::kHalf, 1}, {reference::kSingle, 2}, {reference::kBfloat, 4}})
    for (unsigned rounding = 0; rounding < 4; ++rounding) {
      OneInstruction run(*GetParam(), unary(0x110, at(84, 3) | at(75, test.code) | at(78, rounding)));
      Inputs in(test.code * 4 + rounding);
      for (int round = 0; round < kRounds / 4; ++round) {
        double a[kLanes];
        for (int l = 0; l < kLanes; ++l) {
          // A value of the format, half a unit more, and what is next to that; or anything.
          a[l] = to_double(in.value(test.format), test.format);
          const double next = to_double(in.value(test.format), test.format);
          if (in.below(2) == 0) a[l] = (a[l] + next) / 2;
          if (in.below(2) == 0) a[l] = std::nextafter(a[l], next);
          if (in.below(4) == 0) a[l] = std::bit_cast<double>(in.value(reference::kDouble));
          run.set64(2, l, std::bit_cast<std::uint64_t>(a[l]));
        }
        run.run();
        for (int l = 0; l < kLanes; ++l) {
          if (std::isnan(a[l])) continue;
          Number exact(a[l]);
          const std::uint32_t got = test.format.width == 32 ? run.reg(8)[l] : run.reg(8)[l] & 0xffff;
          ASSERT_EQ(got, bits_of(exact.get(), test.format, kRoundings[rounding]))
              << a[l] << " to precision " << test.format.precision << ", rounding " << rounding;
        }
      }
    }
}

TEST_P(FloatingPoint, IntegersConvertInEveryRounding) {
  struct Case {
    Format format;
    unsigned to;
  };
  for (const Case& to :
       {Case{reference::kHalf, 1}, {reference::kSingle, 2}, {reference::kDouble, 3}, {reference::kBfloat, 4}})
    for (unsigned size = 0; size < 4; ++size)  // 8 << size bits
      for (unsigned is_signed = 0; is_signed < 2; ++is_signed)
        for (unsigned rounding = 0; rounding < 4; ++rounding) {
          const unsigned operation = size == 3 || to.to == 3 ? 0x112 : 0x106;
          OneInstruction run(*GetParam(),
                             unary(operation, at(84, size) | at(74, is_signed) | at(75, to.to) | at(78, rounding)));
          Inputs in(size * 8 + to.to);
          for (int round = 0; round < kRounds / 64; ++round) {
            std::uint64_t a[kLanes];
            for (int l = 0; l < kLanes; ++l) {
              a[l] = in.bits() >> in.below(64);
              if (in.below(2) == 0)
                a[l] =
                    (in.bits() >> 40 << in.below(40)) + static_cast<std::uint64_t>(in.below(3) - 1);  // near a midpoint
              if (in.below(2) == 0) a[l] = 0 - a[l];
              run.set64(2, l, a[l]);
            }
            run.run();
            for (int l = 0; l < kLanes; ++l) {
              const unsigned width = 8u << size;
              Number exact;
              if (is_signed != 0)
                mpfr_set_sj(exact.get(),
                            sign_extend(width == 64 ? a[l] : a[l] & ((std::uint64_t{1} << width) - 1), width),
                            MPFR_RNDN);
              else
                mpfr_set_uj(exact.get(), width == 64 ? a[l] : a[l] & ((std::uint64_t{1} << width) - 1), MPFR_RNDN);
              const std::uint64_t all = run.get64(8, l);
              const std::uint64_t got = to.format.width == 64 ? all : all & ((std::uint64_t{1} << to.format.width) - 1);
              ASSERT_EQ(got, bits_of(exact.get(), to.format, kRoundings[rounding]))
                  << std::hex << a[l] << " of " << std::dec << width << " bits, rounding " << rounding;
            }
          }
        }
}

TEST_P(FloatingPoint, FloatsConvertToIntegersAndRoundToThem) {
  for (unsigned size = 1; size < 4; ++size)
    for (unsigned is_signed = 0; is_signed < 2; ++is_signed)
      for (unsigned rounding = 0; rounding < 4; ++rounding) {
        OneInstruction run(*GetParam(), unary(0x111, at(84, 3) | at(75, size) | at(72, is_signed) | at(78, rounding)));
        OneInstruction whole(*GetParam(), unary(0x113, at(84, 3) | at(75, 3) | at(78, rounding)));
        Inputs in(size * 2 + is_signed);
        const unsigned width = 8u << size;
        for (int round = 0; round < kRounds / 16; ++round) {
          double a[kLanes];
          for (int l = 0; l < kLanes; ++l) {
            a[l] = std::ldexp(static_cast<double>(in.bits() >> 11), in.below(80) - 60);
            if (in.below(2) == 0) a[l] = std::rint(a[l]) + 0.5;
            if (in.below(2) == 0) a[l] = -a[l];
            if (in.below(8) == 0) a[l] = std::bit_cast<double>(in.value(reference::kDouble));
            run.set64(2, l, std::bit_cast<std::uint64_t>(a[l])), whole.set64(2, l, std::bit_cast<std::uint64_t>(a[l]));
          }
          run.run(), whole.run();
          for (int l = 0; l < kLanes; ++l) {
            if (std::isnan(a[l])) continue;
            Number exact(a[l]), rounded;
            mpfr_rint(rounded.get(), exact.get(), kRoundings[rounding]);
            ASSERT_EQ(whole.get64(8, l), bits_of(rounded.get(), reference::kDouble, MPFR_RNDN)) << a[l];
            // MPFR saturates as the instructions do, but only to 64 bits.
            std::uint64_t want = 0;
            if (is_signed != 0) {
              const std::int64_t least = width == 64 ? INT64_MIN : -(std::int64_t{1} << (width - 1)),
                                 v = mpfr_get_sj(rounded.get(), MPFR_RNDN);
              want = static_cast<std::uint64_t>(std::clamp(v, least, -1 - least));
            } else {
              const std::uint64_t most = ~std::uint64_t{0} >> (64 - width);
              want = mpfr_signbit(rounded.get()) ? 0
                                                 : std::min<std::uint64_t>(mpfr_get_uj(rounded.get(), MPFR_RNDN), most);
            }
            const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
            ASSERT_EQ(run.get64(8, l) & mask, want & mask) << a[l] << " to " << width << " bits, rounding " << rounding;
          }
        }
      }
}

// ---- The multi-function unit. The H200's checksums are over all mantissas of a function, sign and exponent.

std::uint64_t mixed(std::uint32_t x, std::uint32_t y) {
  std::uint64_t m = (std::uint64_t{x} << 32 | y) * 0x9e3779b97f4a7c15u;
  m ^= m >> 29;
  m *= 0xbf58476d1ce4e5b9u;
  return m ^ m >> 32;
}

std::map<std::string, std::vector<std::uint64_t>> read_sums() {
  std::map<std::string, std::vector<std::uint64_t>> sums;
  std::ifstream file(LANESCOPE_MUFU_SUMS);
  std::string name, exponent, sum;
  std::getline(file, name);
  while (file >> name >> exponent >> sum) sums[name].push_back(std::stoull(sum, nullptr, 16));
  return sums;
}

struct Function {
  const char* name;
  unsigned code;
  bool turns;  // the recorded kernel multiplies by 1 / (2 pi) first, toward zero
};

// FMUL.RZ by 1 / (2 pi), in integers: it must not depend on what is tested.
std::uint32_t times_turn(std::uint32_t x) {
  const std::uint32_t exponent = x >> 23 & 0xff;
  if (exponent == 0 || exponent == 255) return x;  // denormals count as zeros
  const std::uint64_t product = std::uint64_t{(x & 0x7fffff) | 0x800000} * ((0x3e22f983 & 0x7fffff) | 0x800000);
  const int carry = static_cast<int>(product >> 47);
  const int result = static_cast<int>(exponent) + 124 - 127 + carry;
  if (result <= 0) return x & 0x80000000;
  return (x & 0x80000000) | static_cast<std::uint32_t>(result) << 23 |
         static_cast<std::uint32_t>(product >> (23 + carry) & 0x7fffff);
}

TEST_P(FloatingPoint, MufuEqualsTheHardwareForAllMantissas) {
  const auto sums = read_sums();
  ASSERT_FALSE(sums.empty()) << "no " LANESCOPE_MUFU_SUMS;
  for (const Function& f : {Function{"mufu_cos", 0, true},
                            {"mufu_sin", 1, true},
                            {"mufu_ex2", 2, false},
                            {"mufu_lg2", 3, false},
                            {"mufu_rcp", 4, false},
                            {"mufu_rsq", 5, false},
                            {"mufu_sqrt", 8, false},
                            {"mufu_tanh", 9, false}}) {
    OneInstruction run(*GetParam(), unary(0x108, at(74, f.code)));
    // Around 1, where each function does the most, one of each parity; LANESCOPE_ALL_MANTISSAS takes them all.
    std::vector<std::uint32_t> exponents = {0x7e, 0x81, 0x17f};
    if (std::getenv("LANESCOPE_ALL_MANTISSAS") != nullptr) {
      exponents.resize(512);
      for (std::uint32_t e = 0; e < 512; ++e) exponents[e] = e;
    }
    for (const std::uint32_t exponent : exponents) {
      std::uint64_t sum = 0;
      for (std::uint32_t m = 0; m < 1u << 23; m += kLanes) {
        const std::uint32_t first = exponent << 23 | m;
        for (std::uint32_t l = 0; l < kLanes; ++l) run.reg(2)[l] = f.turns ? times_turn(first + l) : first + l;
        run.run();
        for (std::uint32_t l = 0; l < kLanes; ++l) sum += mixed(first + l, run.reg(8)[l]);
      }
      ASSERT_EQ(sum, sums.at(f.name).at(exponent)) << f.name << ", sign and exponent " << std::hex << exponent;
    }
  }
}

}  // namespace
}  // namespace lanescope::engine
