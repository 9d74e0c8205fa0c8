// Spellings that Nsight Compute and Nsight Systems are known to print.
#include <gtest/gtest.h>

#include "loader/module.h"

namespace lanescope::loader {
namespace {

TEST(Demangle, SpellsAsTheProfilers) {
  const std::pair<const char*, const char*> cases[] = {
      {"_Z18reduce_interleavedPfS_i", "reduce_interleaved(float *, float *, int)"},
      {"_Z14transpose_tileILi1EEvPKfPfi", "void transpose_tile<(int)1>(const float *, float *, int)"},
      {"_Z11hist_atomicPKhPii", "hist_atomic(const unsigned char *, int *, int)"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIiEESt5arrayIPcLm1EEEEviT0_T1_",
       "void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<int>, "
       "std::array<char *, (unsigned long)1>>(int, T2, T3)"},
      {"_ZN3cub28DeviceRadixSortUpsweepKernelINS_21DeviceRadixSortPolicyIdNS_8NullTypeEiE9Policy700ELb1ELb0EdiEEvPKT2_"
       "PT3_S8_iiNS_13GridEvenShareIS8_EE",
       "void cub::DeviceRadixSortUpsweepKernel<cub::DeviceRadixSortPolicy<double, cub::NullType, int>::Policy700, "
       "(bool)1, (bool)0, double, int>(const T4 *, T5 *, T5, int, int, cub::GridEvenShare<T5>)"},
      {"_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastINS0_11FillFunctorIfEEEEvRNS_"
       "18TensorIteratorBaseERKT_EUliE_EEviT1_",
       "void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<"
       "at::native::FillFunctor<float>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)"},
      {"_ZN12_GLOBAL__N_16kernelIfEEvPT_", "void <unnamed>::kernel<float>(T1 *)"},
      {"_ZN7cutlass7Kernel2I4GemmEEvNT_6ParamsE", "void cutlass::Kernel2<Gemm>(T1::Params)"},
  };
  for (const auto& [mangled, expected] : cases) EXPECT_EQ(demangle(mangled), expected);
}

TEST(Demangle, PlacesQualifiers) {
  EXPECT_EQ(demangle("_Z1fPKPKf"), "f(const float *const *)");
  EXPECT_EQ(demangle("_Z1fPVKf"), "f(const volatile float *)");
  EXPECT_EQ(demangle("_Z1fRKSt4pairIiPKcE"), "f(const std::pair<int, const char *> &)");
  EXPECT_EQ(demangle("_Z1fRA3_iPFviE"), "f(int (&)[3], void (*)(int))");
}

TEST(Demangle, TypesLiterals) {
  EXPECT_EQ(demangle("_Z1fILi1ELj2ELl3ELm4ELx5ELy6ELb1ELin7EEvv"),
            "void f<(int)1, (unsigned int)2, (long)3, (unsigned long)4, (long long)5, (unsigned long long)6, (bool)1, "
            "(int)-7>()");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"kernel", "h", "_Z", "_Z9", "", "$str", "__cuda_sm3x_div_rn_noftz_f32_slowpath"})
    EXPECT_EQ(demangle(name), name);
}

// Each level doubles the text: 30 levels would be a thousand million characters.
TEST(Demangle, RefusesNamesThatExplode) {
  std::string name = "_Z1fP1a";
  const auto reference = [](int index) {
    constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string digits;
    for (int rest = index - 1; index > 0;) {
      digits.insert(digits.begin(), kDigits[rest % 36]);
      rest /= 36;
      if (rest == 0) break;
    }
    return fmt::format("S{}_", digits);
  };
  for (int level = 0; level < 30; ++level) name += fmt::format("PFv{0}{0}E", reference(1 + 2 * level));
  EXPECT_EQ(demangle(name), name);
}

}  // namespace
}  // namespace lanescope::loader
