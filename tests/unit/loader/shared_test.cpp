// Names and places of shared arrays. The offsets are the immediates that the machine code of shared.cu stores (read off
// the vendor's disassembly for sm_80 and sm_90).
#include <gtest/gtest.h>

#include "loader/ptx.h"
#include "support.h"

namespace lanescope::loader::test {
namespace {

class Shared : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sm, Shared, testing::ValuesIn(kArchitectures), testing::PrintToStringParamName());

struct Expected {
  const char* name;
  std::uint32_t offset, size;
  bool dynamic = false;
};

void expect_arrays(const Function& function, const std::vector<Expected>& expected) {
  ASSERT_EQ(function.shared_arrays.size(), expected.size()) << function.name;
  for (const Expected& want : expected) {
    const auto got = std::find_if(function.shared_arrays.begin(), function.shared_arrays.end(),
                                  [&](const SharedArray& array) { return array.name == want.name; });
    ASSERT_NE(got, function.shared_arrays.end()) << want.name;
    EXPECT_EQ(got->offset, function.shared_base + want.offset) << want.name;
    EXPECT_EQ(got->size, want.size) << want.name;
    EXPECT_EQ(got->dynamic, want.dynamic) << want.name;
  }
}

TEST_P(Shared, ArraysLieWhereTheCodeSays) {
  const Module module = module_of("shared.fatbin", GetParam());
  expect_arrays(function(module, "own"),
                {{"bytes", 0, 5}, {"doubles", 8, 24}, {"shorts", 0x20, 14}, {"words", 0x40, 8}});
  expect_arrays(function(module, "with_file"),
                {{"of_file", 0, 12}, {"own_array", 0xc, 22}, {"dynamic", 0x30, 0, true}});
  expect_arrays(function(module, "with_function"), {{"own_array", 0, 5}, {"inner_array", 8, 40}});
  expect_arrays(function(module, "with_two_functions"), {});
}

TEST(Ptx, OfTheDebugSectionNamesArraysToo) {
  const auto entries = entries_of("data/programs/textbook");
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::Kind::kCubin) continue;
    const auto module = load_cubin(entry.data, "textbook");
    ASSERT_TRUE(module);
    if (module->functions.empty()) continue;
    EXPECT_FALSE(module->ptx.empty());
    expect_arrays(*module->find("_Z12matmul_tiledILi16ELi1EEvPfS0_S0_iii"), {{"sA", 0, 1088}, {"sB", 1088, 1088}});
    return;
  }
  FAIL() << "no kernels in textbook";
}

// Forms that hand-written PTX uses and nvcc does not.
TEST(Ptx, ReadsEveryFormOfDeclaration) {
  const PtxFile file = read_ptx(R"(
    .version 9.0
    // .shared .b8 commented[4];
    /* .shared .b8 too[4]; */
    .extern .shared .align 16 .b8 pool[];
    .shared .f64 single;
    .visible .entry kernel(.param .u64 p) .maxntid 32, 1, 1 {
      .shared .align 8 .v2 .f32 pairs[4][5];
      .shared .u16 first[3], second;
      { .reg .b32 t; mov.u32 t, single; }
      call.uni helper, ();
    }
    .func helper() { .shared .b8 own[7]; ret; }
    .extern .func vprintf(.param .b64 a);
  )");
  ASSERT_EQ(file.shared.size(), 2u);
  EXPECT_EQ(file.shared[0].name, "pool");
  EXPECT_TRUE(file.shared[0].is_extern);
  EXPECT_EQ(file.shared[0].size, 0u);
  EXPECT_EQ(file.shared[1].size, 8u);
  EXPECT_EQ(file.shared[1].alignment, 8u);
  ASSERT_EQ(file.functions.size(), 2u);
  const PtxFunction& kernel = file.functions[0];
  EXPECT_TRUE(kernel.is_entry);
  ASSERT_EQ(kernel.shared.size(), 3u);
  EXPECT_EQ(kernel.shared[0].size, 160u);
  EXPECT_EQ(kernel.shared[1].size, 6u);
  EXPECT_EQ(kernel.shared[2].name, "second");
  EXPECT_EQ(kernel.shared[2].size, 2u);
  EXPECT_EQ(kernel.identifiers, (std::vector<std::string_view>{"helper", "single"}));
  EXPECT_EQ(file.functions[1].name, "helper");
  EXPECT_EQ(file.functions[1].shared.size(), 1u);
}

TEST(Ptx, SizesThatDisagreeGiveNoNames) {
  const PtxFile file = read_ptx(".entry k() { .shared .b8 a[100]; }");
  Function kernel{.name = "k"};
  kernel.static_shared = 100;
  EXPECT_EQ(lay_out_shared(file, kernel).size(), 1u);
  kernel.static_shared = 104;
  EXPECT_TRUE(lay_out_shared(file, kernel).empty());
}

}  // namespace
}  // namespace lanescope::loader::test
