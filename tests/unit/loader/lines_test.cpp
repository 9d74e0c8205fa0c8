// Source positions against what the vendor's disassembler printed.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "support.h"

namespace lanescope::loader::test {
namespace {

std::string basename(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "file:line file:line ...", innermost first.
std::string chain(const Module& module, std::int32_t position) {
  std::string text;
  for (; position >= 0; position = module.positions[static_cast<std::size_t>(position)].inlined_at) {
    const SourcePosition& p = module.positions[static_cast<std::size_t>(position)];
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", basename(module.files[p.file]), p.line);
  }
  return text;
}

std::string innermost(const std::string& chain) { return chain.substr(0, chain.find(' ')); }

using Changes = std::map<std::uint32_t, std::string>;  // by offset

std::map<std::uint32_t, std::map<std::string, Changes>> read_expected(const std::string& name) {
  std::ifstream file(std::string(LANESCOPE_TEST_DATA) + "/data/loader/" + name);
  std::map<std::uint32_t, std::map<std::string, Changes>> expected;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uint32_t sm = 0, offset = 0;
    std::string function, positions;
    words >> sm >> function >> std::hex >> offset >> std::ws;
    std::getline(words, positions);
    expected[sm][function][offset] = positions;
  }
  return expected;
}

void expect_positions(const Module& module, const Function& function, const Changes& changes) {
  ASSERT_EQ(function.positions.size(), function.count);
  std::string last;
  for (std::uint32_t i = 0; i < function.count; ++i) {
    const std::string got = chain(module, function.positions[i]);
    const auto change = changes.find(16 * i);
    if (change != changes.end()) {
      EXPECT_EQ(got, change->second) << module.origin << " " << function.name << " at " << 16 * i;
    } else {
      // Nothing printed: the innermost position is the one before.
      EXPECT_EQ(innermost(got), innermost(last)) << module.origin << " " << function.name << " at " << 16 * i;
    }
    last = got;
  }
}

TEST(Lines, EveryInstructionAsTheVendorPrintsIt) {
  for (const auto& [sm, functions] : read_expected("lines.expected")) {
    const Module module = module_of("lines.fatbin", sm);
    EXPECT_TRUE(module.warnings.empty());
    EXPECT_EQ(functions.size(), module.functions.size());
    for (const auto& [name, changes] : functions) expect_positions(module, *module.find(name), changes);
  }
}

TEST(Lines, OfDebugBuilds) {
  const auto expected = read_expected("lines_debug.expected");
  ASSERT_EQ(expected.size(), 1u);
  const Module module = module_of("lines_debug.fatbin", 90);
  for (const auto& [name, changes] : expected.at(90)) expect_positions(module, *module.find(name), changes);
}

TEST(Lines, OnEveryArchitecture) {
  for (const std::uint32_t sm : kArchitectures) {
    const Module module = module_of("lines.fatbin", sm);
    EXPECT_TRUE(module.warnings.empty());
    for (const Function& function : module.functions) {
      ASSERT_EQ(function.positions.size(), function.count) << module.origin;
      EXPECT_GE(function.positions[0], 0);
    }
  }
}

TEST(Lines, InlinedFunctionsHaveNames) {
  const Module module = module_of("lines.fatbin", 90);
  std::map<std::string, int> names;
  for (const SourcePosition& position : module.positions) {
    EXPECT_EQ(position.function >= 0, position.inlined_at >= 0);
    if (position.function >= 0) ++names[module.inlined_functions[static_cast<std::size_t>(position.function)]];
  }
  for (const char* name : {"square", "nested", "magnitude"}) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& n) {
      return n.first == name || n.first == fmt::format("{}(float)", name);
    });
    EXPECT_NE(found, names.end()) << name;
  }
}

TEST(Lines, AbsentWithoutLineInfo) {
  const Module module = module_of("attributes.fatbin", 90);
  EXPECT_TRUE(module.files.empty());
  for (const Function& function : module.functions) EXPECT_TRUE(function.positions.empty());
}

}  // namespace
}  // namespace lanescope::loader::test
