// Kernels of the programs that the truth files were recorded with, against what Nsight Compute said of them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support.h"

namespace lanescope::loader::test {
namespace {

// The driver gives every thread at least 16 registers on compute capability 9.0, and the profiler reports those.
constexpr std::uint32_t kLeastRegisters = 16;

std::map<std::string, nlohmann::json> launches_of(const std::string& file) {
  std::ifstream truth(std::string(LANESCOPE_TEST_DATA) + "/truth/data/" + file);
  std::map<std::string, nlohmann::json> launches;
  for (std::string line; std::getline(truth, line);) {
    auto launch = nlohmann::json::parse(line);
    const auto kernel = launch.at("kernel").get<std::string>();
    launches.emplace(kernel, std::move(launch));
  }
  return launches;
}

std::vector<Module> modules_of(const std::string& program) {
  std::vector<Module> modules;
  for (const FatbinEntry& entry : entries_of("data/programs/" + program)) {
    if (entry.kind != FatbinEntry::Kind::kCubin) continue;
    auto module = load_cubin(entry.data, program);
    EXPECT_TRUE(module);
    modules.push_back(std::move(*module));
  }
  return modules;
}

void compare(const std::string& program, const std::string& truth, std::size_t kernels) {
  const auto modules = modules_of(program);
  const auto launches = launches_of(truth);
  EXPECT_EQ(launches.size(), kernels);
  for (const auto& [name, launch] : launches) {
    const Function* found = nullptr;
    for (const Module& module : modules)
      for (const Function& function : module.functions)
        if (function.demangled == name) found = &function;
    ASSERT_NE(found, nullptr) << name;
    const auto& hardware = launch.at("hardware");
    EXPECT_EQ(std::max(found->registers, kLeastRegisters), hardware.at("registers_per_thread")) << name;
    EXPECT_EQ(found->static_shared, hardware.at("shared_static_bytes")) << name;
    EXPECT_EQ(found->count, launch.at("sass").size()) << name;
  }
}

TEST(Truth, TextbookKernels) { compare("textbook", "h200-textbook-64.jsonl", 17); }
TEST(Truth, DivergenceKernels) { compare("divergence", "h200-divergence.jsonl", 8); }

}  // namespace
}  // namespace lanescope::loader::test
