// What the sources of tests/data/loader/ say must come back from their cubins, on every architecture.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support.h"

namespace lanescope::loader::test {
namespace {

class Cubin : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t sm() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Sm, Cubin, testing::ValuesIn(kArchitectures), testing::PrintToStringParamName());

constexpr std::uint64_t kGlobals = 0x7f0123450000;
constexpr std::uint64_t kBank3 = 0x7f0567890000;

std::vector<std::uint32_t> sizes(const Function& function) {
  std::vector<std::uint32_t> result;
  for (const Parameter& parameter : function.parameters) result.push_back(parameter.size);
  return result;
}

TEST_P(Cubin, KernelsHaveTheirAttributes) {
  const Module module = module_of("attributes.fatbin", sm());
  EXPECT_EQ(module.sm, sm());
  EXPECT_TRUE(module.warnings.empty());
  EXPECT_EQ(module.functions.size(), 6u);

  const Function& parameters = function(module, "parameters");
  EXPECT_TRUE(parameters.is_kernel);
  EXPECT_EQ(sizes(parameters), (std::vector<std::uint32_t>{400, 1, 2, 8, 16, 8}));
  std::vector<std::uint32_t> offsets;
  for (const Parameter& parameter : parameters.parameters) offsets.push_back(parameter.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 400, 402, 408, 416, 432}));  // as in a struct
  EXPECT_EQ(parameters.parameter_bytes, 440u);
  EXPECT_EQ(parameters.parameter_base, sm() < 90 ? 0x160u : sm() < 100 ? 0x210u : 0x380u);
  EXPECT_EQ(parameters.bank0.size(), parameters.parameter_base + parameters.parameter_bytes);

  const Function& bounded = function(module, "bounded");
  EXPECT_EQ(bounded.max_threads, 128u);
  EXPECT_EQ(bounded.static_shared, 96u);  // 10 doubles and 3 bytes, in steps of 16
  EXPECT_EQ(bounded.shared_base, sm() < 90 ? 0u : 0x400u);
  EXPECT_EQ(bounded.barriers, 1u);
  EXPECT_EQ(bounded.cluster[0], 0u);

  const Function& barriers = function(module, "barriers");
  EXPECT_EQ(barriers.barriers, 4u);  // up to number 3
  EXPECT_EQ(barriers.static_shared, 16u);
  EXPECT_EQ(barriers.cluster[0], sm() < 90 ? 0u : 2u);
  EXPECT_EQ(barriers.cluster[1], sm() < 90 ? 0u : 1u);

  const Function& stack = function(module, "stack");
  EXPECT_GE(stack.local_bytes, 256u);
  EXPECT_LT(stack.local_bytes, 300u);
  EXPECT_FALSE(stack.unbounded_stack);
  EXPECT_GT(stack.registers, 4u);
  EXPECT_EQ(parameters.local_bytes, 0u);
}

TEST_P(Cubin, NamesAreSpelledAsTheProfilerDoes) {
  const Module module = module_of("attributes.fatbin", sm());
  std::set<std::string> names;
  for (const Function& function : module.functions) names.insert(function.demangled);
  EXPECT_TRUE(names.contains("parameters(Wide, char, short, double, float4, int *)"));
  EXPECT_TRUE(names.contains("<unnamed>::hidden(const float *const *, volatile int &)"));
  EXPECT_TRUE(names.contains("void generic<float, (int)4, (bool)1>(T1 *, const T1 *, unsigned int)"));
}

TEST_P(Cubin, FunctionsTileTheCode) {
  for (const char* file : {"attributes.fatbin", "relocations.fatbin"}) {
    const Module module = module_of(file, sm());
    std::uint32_t next = 0;
    for (const Function& function : module.functions) {
      EXPECT_EQ(function.first, next);
      EXPECT_GT(function.count, 0u);
      EXPECT_EQ(module.function_at(function.first), &function);
      EXPECT_EQ(module.function_at(function.first + function.count - 1), &function);
      EXPECT_EQ(module.find(function.name), &function);
      next += function.count;
    }
    EXPECT_EQ(next, module.code.size());
    EXPECT_EQ(module.function_at(next), nullptr);
  }
}

TEST_P(Cubin, PointersBetweenVariablesAreWritten) {
  Module module = module_of("relocations.fatbin", sm());
  const auto initial = value_at<float>(module.globals, variable(module, "weights").offset + 8);
  EXPECT_EQ(initial, 3.0f);
  EXPECT_EQ(value_at<float>(module.bank3, variable(module, "scales").offset + 4), 2.0f);
  EXPECT_EQ(variable(module, "weights").size, 16u);
  EXPECT_TRUE(variable(module, "scales").constant);
  EXPECT_EQ(variable(module, "line").offset % 64, 0u);

  // Twice: the second call must not add to the first.
  place_globals(module, 0x1000, 0x2000);
  place_globals(module, kGlobals, kBank3);
  const auto pointer_in = [&](const char* name, std::uint64_t offset) {
    const Variable& place = variable(module, name);
    return value_at<std::uint64_t>(place.constant ? module.bank3 : module.globals, place.offset + offset);
  };
  const std::uint64_t weights = kGlobals + variable(module, "weights").offset;
  EXPECT_EQ(pointer_in("counter_pointer", 0), kGlobals + variable(module, "counter").offset);
  EXPECT_EQ(pointer_in("scales_pointer", 0), kBank3 + variable(module, "scales").offset + 4);
  EXPECT_EQ(pointer_in("weight_pointers", 0), weights);
  EXPECT_EQ(pointer_in("weight_pointers", 8), weights + 4);
  EXPECT_EQ(pointer_in("weight_pointers", 16), 0u);
  EXPECT_EQ(pointer_in("constant_pointers", 0), weights + 8);
  EXPECT_EQ(pointer_in("packed", 1), weights + 4);
}

// Bank 4 holds an address for each variable that the code takes the address of, and of the function that is not here.
TEST_P(Cubin, BankOfAddressesIsWritten) {
  Module module = module_of("relocations.fatbin", sm());
  place_globals(module, kGlobals, kBank3);
  std::set<std::uint64_t> addresses;
  for (std::size_t at = 0; at + 8 <= module.bank4.size(); at += 8)
    addresses.insert(value_at<std::uint64_t>(module.bank4, at));
  for (const char* name : {"counter", "weights", "packed", "line", "device_table"})
    EXPECT_TRUE(addresses.contains(kGlobals + variable(module, name).offset)) << name;
  ASSERT_EQ(module.externals.size(), 1u);
  EXPECT_EQ(module.externals[0].name, "vprintf");
  EXPECT_EQ(module.externals[0].address, 16 * module.code.size());
  EXPECT_TRUE(addresses.contains(module.externals[0].address));
  EXPECT_EQ(module.external_at(module.externals[0].address), module.externals.data());
  EXPECT_EQ(module.external_at(0), nullptr);
}

TEST_P(Cubin, JumpTablesStayInsideTheirFunction) {
  const Module module = module_of("relocations.fatbin", sm());
  const Function& branches = function(module, "branches");
  const std::uint32_t lowest = value_at<std::uint32_t>(branches.bank2, 0);
  EXPECT_EQ(lowest % 16, 0u);
  EXPECT_LT(lowest / 16, branches.count);
}

// Targets of CALL.ABS in the code: bits 34 and up hold the address in words of 4 bytes, from sm_90 on above 8 more bits
// at 16 (read off the vendor's disassembly of such calls).
std::set<std::uint64_t> absolute_calls(const Module& module) {
  std::set<std::uint64_t> targets;
  for (const Word128& word : module.code) {
    if (word.bits(0, 12) != 0x943) continue;
    targets.insert(module.sm < 90 ? word.bits(34, 47) << 2 : word.bits(34, 47) << 10 | word.bits(16, 8) << 2);
  }
  return targets;
}

TEST_P(Cubin, LinkedCallsReachFunctionsAndExternals) {
  const Module module = module_of(fmt::format("linked.sm_{}.fatbin", sm()), sm());
  std::set<std::string> externals;
  std::set<std::uint64_t> expected;
  for (const External& external : module.externals) {
    externals.insert(external.name);
    expected.insert(external.address);
  }
  EXPECT_EQ(externals, (std::set<std::string>{"__assertfail", "malloc", "free"}));
  for (const Function& callee : module.functions)
    if (!callee.is_kernel) expected.insert(16 * callee.first);
  EXPECT_EQ(absolute_calls(module), expected);

  EXPECT_TRUE(function(module, "caller").unbounded_stack);  // far_away and farther call each other
  EXPECT_TRUE(function(module, "caller").is_kernel);
  EXPECT_FALSE(function(module, "far_away").is_kernel);
  EXPECT_EQ(function(module, "caller").static_shared, 132u);  // far_away's 33 floats
  const Variable& pointer = variable(module, "pointer");
  EXPECT_EQ(value_at<std::uint64_t>(module.globals, pointer.offset), 16 * function(module, "far_away").first);
}

// In linked code an address is two immediates: MOV of the low half, MOV of the high half.
TEST_P(Cubin, LinkedCodeHoldsAddressesOfVariables) {
  Module module = module_of(fmt::format("linked.sm_{}.fatbin", sm()), sm());
  place_globals(module, kGlobals);
  std::multiset<std::uint32_t> immediates;
  for (const Word128& word : module.code) immediates.insert(static_cast<std::uint32_t>(word.bits(32, 32)));
  for (const char* name : {"counter", "buffer", "pointer"}) {
    const std::uint64_t address = kGlobals + variable(module, name).offset;
    EXPECT_TRUE(immediates.contains(static_cast<std::uint32_t>(address))) << name;
    EXPECT_TRUE(immediates.contains(static_cast<std::uint32_t>(address >> 32))) << name;
  }
}

TEST(CubinErrors, RelocatableCodeIsRefused) {
  const auto module = load_cubin(read_file("data/loader/relocatable.cubin"), "relocatable.cubin");
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("link it first"), std::string::npos) << module.error().message;
}

TEST(CubinErrors, OtherFilesAreNamed) {
  const auto host = load_cubin(read_file("data/programs/divergence"), "divergence");
  ASSERT_FALSE(host);
  EXPECT_NE(host.error().message.find("divergence: an ELF file for machine 62"), std::string::npos)
      << host.error().message;
  const auto text = load_cubin(read_file("data/loader/lines.cu"), "lines.cu");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "lines.cu: not an ELF file");
}

// A relocation type that nobody uses: the loader must name it, not skip it.
TEST(CubinErrors, UnknownRelocationIsNamed) {
  std::vector<std::uint8_t> cubin = cubin_of("relocations.fatbin", 90);
  // The relocation entry {offset, type 2, addend 0} of bank 4: the type becomes 200.
  bool changed = false;
  for (std::size_t at = 0; at + 24 <= cubin.size() && !changed; at += 8) {
    const auto info = value_at<std::uint64_t>(cubin, at + 8);
    if ((info & 0xffffffff) != 2 || info >> 32 == 0 || info >> 32 > 60 || value_at<std::uint64_t>(cubin, at + 16) != 0)
      continue;
    cubin[at + 8] = 200;
    const auto module = load_cubin(cubin, "changed.cubin");
    if (module) {  // not a relocation of code or data
      cubin[at + 8] = 2;
      continue;
    }
    EXPECT_NE(module.error().message.find("type 200"), std::string::npos) << module.error().message;
    EXPECT_NE(module.error().message.find("changed.cubin: .rela"), std::string::npos) << module.error().message;
    changed = true;
  }
  EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace lanescope::loader::test
