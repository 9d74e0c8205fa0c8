#include "loader/relocation.h"

#include <algorithm>
#include <array>

namespace lanescope::loader {
namespace {

using Form = RelocationType::Form;

// Numbers and names: what cuobjdump prints for each number. Fields: name_<width>_<position>, checked on cubins that the
// compiler and the device linker wrote. G is a generic address, which for code and global memory is the plain address;
// FUNC_DESC a function's descriptor, which from sm_70 on is its code address; UNIFIED a function's address that is the
// same on all devices.
constexpr auto kTypes = std::to_array<RelocationType>({
    {0, "R_CUDA_NONE", Form::kClear, 0, 0, 0},
    {1, "R_CUDA_32", Form::kBits, 0, 32, 0},
    {2, "R_CUDA_64", Form::kBits, 0, 64, 0},
    {3, "R_CUDA_G32", Form::kBits, 0, 32, 0},
    {4, "R_CUDA_G64", Form::kBits, 0, 64, 0},
    {34, "R_CUDA_FUNC_DESC_32", Form::kBits, 0, 32, 0},
    {35, "R_CUDA_FUNC_DESC_64", Form::kBits, 0, 64, 0},
    {55, "R_CUDA_ABS32_32", Form::kBits, 32, 32, 0},
    {56, "R_CUDA_ABS32_LO_32", Form::kBits, 32, 32, 0},
    {57, "R_CUDA_ABS32_HI_32", Form::kBits, 32, 32, 32},
    {58, "R_CUDA_ABS47_34", Form::kBits, 34, 47, 2},
    {61, "R_CUDA_FUNC_DESC32_32", Form::kBits, 32, 32, 0},
    {62, "R_CUDA_FUNC_DESC32_LO_32", Form::kBits, 32, 32, 0},
    {63, "R_CUDA_FUNC_DESC32_HI_32", Form::kBits, 32, 32, 32},
    {70, "R_CUDA_32_LO", Form::kBits, 0, 32, 0},
    {71, "R_CUDA_32_HI", Form::kBits, 0, 32, 32},
    {72, "R_CUDA_UNUSED_CLEAR32", Form::kClear, 0, 32, 0},
    {73, "R_CUDA_UNUSED_CLEAR64", Form::kClear, 0, 64, 0},
    {75, "R_CUDA_ABS55_16_34", Form::kBranch, 34, 47, 2},
    {76, "R_CUDA_8_0", Form::kBits, 0, 8, 0},
    {77, "R_CUDA_8_8", Form::kBits, 0, 8, 8},
    {78, "R_CUDA_8_16", Form::kBits, 0, 8, 16},
    {79, "R_CUDA_8_24", Form::kBits, 0, 8, 24},
    {80, "R_CUDA_8_32", Form::kBits, 0, 8, 32},
    {81, "R_CUDA_8_40", Form::kBits, 0, 8, 40},
    {82, "R_CUDA_8_48", Form::kBits, 0, 8, 48},
    {83, "R_CUDA_8_56", Form::kBits, 0, 8, 56},
    {84, "R_CUDA_G8_0", Form::kBits, 0, 8, 0},
    {85, "R_CUDA_G8_8", Form::kBits, 0, 8, 8},
    {86, "R_CUDA_G8_16", Form::kBits, 0, 8, 16},
    {87, "R_CUDA_G8_24", Form::kBits, 0, 8, 24},
    {88, "R_CUDA_G8_32", Form::kBits, 0, 8, 32},
    {89, "R_CUDA_G8_40", Form::kBits, 0, 8, 40},
    {90, "R_CUDA_G8_48", Form::kBits, 0, 8, 48},
    {91, "R_CUDA_G8_56", Form::kBits, 0, 8, 56},
    {92, "R_CUDA_FUNC_DESC_8_0", Form::kBits, 0, 8, 0},
    {93, "R_CUDA_FUNC_DESC_8_8", Form::kBits, 0, 8, 8},
    {94, "R_CUDA_FUNC_DESC_8_16", Form::kBits, 0, 8, 16},
    {95, "R_CUDA_FUNC_DESC_8_24", Form::kBits, 0, 8, 24},
    {96, "R_CUDA_FUNC_DESC_8_32", Form::kBits, 0, 8, 32},
    {97, "R_CUDA_FUNC_DESC_8_40", Form::kBits, 0, 8, 40},
    {98, "R_CUDA_FUNC_DESC_8_48", Form::kBits, 0, 8, 48},
    {99, "R_CUDA_FUNC_DESC_8_56", Form::kBits, 0, 8, 56},
    {102, "R_CUDA_UNIFIED", Form::kBits, 0, 64, 0},
    {103, "R_CUDA_UNIFIED_32", Form::kBits, 0, 32, 0},
    {112, "R_CUDA_UNIFIED32_LO_32", Form::kBits, 32, 32, 0},
    {113, "R_CUDA_UNIFIED32_HI_32", Form::kBits, 32, 32, 32},
    {114, "R_CUDA_ABS56_16_34", Form::kBranch, 34, 48, 2},
});

}  // namespace

const RelocationType* find_relocation(std::uint32_t number) {
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const RelocationType& type) { return type.number == number; });
  return found == kTypes.end() ? nullptr : &*found;
}

void set_bits(Word128& word, unsigned first, unsigned count, std::uint64_t value) {
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t& half = first + i < 64 ? word.low : word.high;
    const std::uint64_t bit = std::uint64_t{1} << ((first + i) % 64);
    half = (value >> i & 1) != 0 ? half | bit : half & ~bit;
  }
}

}  // namespace lanescope::loader
