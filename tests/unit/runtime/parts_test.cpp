// The runtime's pure parts.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "loader/choose.h"
#include "runtime/chips.h"
#include "runtime/modules.h"
#include "runtime/options.h"

namespace {

using namespace lanescope;
using namespace lanescope::runtime;
using loader::choose_entry;
using loader::choose_ptx;

std::map<std::string, std::string> environment;
const char* lookup(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

TEST(Options, HaveDefaults) {
  environment.clear();
  const Options options = read_options(lookup);
  EXPECT_EQ(options.sm, 90u);
  EXPECT_TRUE(options.count);
  EXPECT_FALSE(options.deterministic);
  EXPECT_FALSE(options.kernel_filter.has_value());
  EXPECT_EQ(options.launch_count, UINT64_MAX);
  EXPECT_TRUE(options.warnings.empty());
}

TEST(Options, AreReadFromTheEnvironment) {
  environment = {{"LANESCOPE_SM", "86"},          {"LANESCOPE_THREADS", "3"},
                 {"LANESCOPE_KERNEL", "^reduce"}, {"LANESCOPE_LAUNCH_SKIP", "2"},
                 {"LANESCOPE_LAUNCH_COUNT", "5"}, {"LANESCOPE_DETERMINISTIC", "1"},
                 {"LANESCOPE_COUNT", "0"},        {"LANESCOPE_SPOOL", "somewhere"},
                 {"LANESCOPE_MEMORY", "1048576"}, {"LANESCOPE_MAX_INSTRUCTIONS", "9"}};
  const Options options = read_options(lookup);
  EXPECT_EQ(options.sm, 86u);
  EXPECT_EQ(options.threads, 3u);
  EXPECT_TRUE(std::regex_search("reduce_sequential(float *)", *options.kernel_filter));
  EXPECT_FALSE(std::regex_search("do_reduce(float *)", *options.kernel_filter));
  EXPECT_EQ(options.launch_skip, 2u);
  EXPECT_EQ(options.launch_count, 5u);
  EXPECT_TRUE(options.deterministic);
  EXPECT_FALSE(options.count);
  EXPECT_EQ(options.spool, "somewhere");
  EXPECT_EQ(options.memory, 1048576u);
  EXPECT_EQ(options.max_instructions, 9u);
}

TEST(Options, NameWhatTheyCannotUse) {
  environment = {{"LANESCOPE_SM", "sm_90"}, {"LANESCOPE_KERNEL", "("}, {"LANESCOPE_THREADS", "-1"}};
  const Options options = read_options(lookup);
  ASSERT_EQ(options.warnings.size(), 3u);
  for (const char* name : {"LANESCOPE_SM=sm_90", "LANESCOPE_KERNEL=(", "LANESCOPE_THREADS=-1"}) {
    const bool named = std::any_of(options.warnings.begin(), options.warnings.end(),
                                   [&](const auto& warning) { return warning.find(name) != std::string::npos; });
    EXPECT_TRUE(named) << name;
  }
  EXPECT_EQ(options.sm, 90u);
  EXPECT_EQ(options.threads, 0u);
}

class EveryChip : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, testing::Values(75, 80, 86, 89, 90, 100, 103, 120));

TEST_P(EveryChip, DescribesItselfWithoutContradiction) {
  const Chip* chip = find_chip(static_cast<std::uint32_t>(GetParam()));
  ASSERT_NE(chip, nullptr);
  ASSERT_NE(chip->arch, nullptr);
  const DeviceProperties p = device_properties(*chip, chip->memory_bytes);
  EXPECT_EQ(p.major * 10 + p.minor, GetParam());
  EXPECT_EQ(p.sharedMemPerBlockOptin + p.reservedSharedMemPerBlock, p.sharedMemPerMultiprocessor);
  EXPECT_LE(p.sharedMemPerBlock, p.sharedMemPerBlockOptin);
  EXPECT_LT(p.persistingL2CacheMaxSize, p.l2CacheSize);
  // A data sheet's bandwidth is what the clock and the width of the bus give, within what sheets round.
  const double bandwidth = 2e3 * p.memoryClockRate * p.memoryBusWidth / 8;
  EXPECT_NEAR(bandwidth / chip->arch->chip.memory_bytes_per_second, 1.0, 0.03);
}

TEST(Chips, AreNotInvented) {
  EXPECT_EQ(find_chip(42), nullptr);
  EXPECT_EQ(find_chip(91), nullptr);
}

TEST(Chips, AttributesAgreeWithProperties) {
  const DeviceProperties p = device_properties(*find_chip(90), 1 << 30);
  const std::pair<cudaDeviceAttr, std::int64_t> expected[] = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<std::int64_t>(p.sharedMemPerBlockOptin)},
      {cudaDevAttrComputeCapabilityMajor, 9},
      {cudaDevAttrComputeCapabilityMinor, 0},
      {cudaDevAttrMaxGridDimX, 2147483647},
      {cudaDevAttrClusterLaunch, 1},
  };
  for (const auto& [attribute, value] : expected) {
    int got = -1;
    ASSERT_TRUE(device_attribute(p, attribute, got)) << attribute;
    EXPECT_EQ(got, value) << attribute;
  }
  int value = 0;
  EXPECT_FALSE(device_attribute(p, static_cast<cudaDeviceAttr>(0), value));
  EXPECT_FALSE(device_attribute(p, static_cast<cudaDeviceAttr>(100000), value));
}

TEST(Chips, BothLayoutsCarryTheSameValues) {
  const DeviceProperties p = device_properties(*find_chip(89), 1 << 30);
  const DeviceProp12 twelve = to_prop12(p);
  const DeviceProp13 thirteen = to_prop13(p);
  EXPECT_STREQ(twelve.name, thirteen.name);
  EXPECT_EQ(twelve.multiProcessorCount, 128);
  EXPECT_EQ(thirteen.multiProcessorCount, 128);
  EXPECT_EQ(twelve.clockRate, 2520000);
  EXPECT_EQ(twelve.sharedMemPerBlockOptin, thirteen.sharedMemPerBlockOptin);
  EXPECT_EQ(thirteen.hostNumaId, -1);
}

loader::FatbinEntry entry(loader::FatbinEntry::Kind kind, std::uint32_t sm) {
  loader::FatbinEntry result;
  result.kind = kind;
  result.sm = sm;
  return result;
}

// CUDA's rule: machine code runs on its own architecture and on later minor versions of the same major one.
TEST(ChooseEntry, FollowsBinaryCompatibility) {
  using Kind = loader::FatbinEntry::Kind;
  const std::vector<loader::FatbinEntry> entries = {entry(Kind::kPtx, 90), entry(Kind::kCubin, 80),
                                                    entry(Kind::kCubin, 86), entry(Kind::kCubin, 100)};
  EXPECT_EQ(choose_entry(entries, 80), &entries[1]);
  EXPECT_EQ(choose_entry(entries, 86), &entries[2]);
  EXPECT_EQ(choose_entry(entries, 89), &entries[2]);
  EXPECT_EQ(choose_entry(entries, 103), &entries[3]);
  EXPECT_EQ(choose_entry(entries, 90), nullptr);
  EXPECT_EQ(choose_entry(entries, 75), nullptr);
  EXPECT_EQ(choose_entry({}, 90), nullptr);
}

TEST(ChoosePtx, TakesTheNewestThatIsNotNewerThanTheChip) {
  using Kind = loader::FatbinEntry::Kind;
  const std::vector<loader::FatbinEntry> entries = {entry(Kind::kPtx, 75), entry(Kind::kCubin, 86),
                                                    entry(Kind::kPtx, 80), entry(Kind::kPtx, 100)};
  EXPECT_EQ(choose_ptx(entries, 90), &entries[2]);
  EXPECT_EQ(choose_ptx(entries, 75), &entries[0]);
  EXPECT_EQ(choose_ptx(entries, 70), nullptr);
}

TEST(ImageBytes, AreWhatTheHeaderSays) {
  std::vector<std::uint8_t> fatbin(64);
  const std::uint32_t magic = 0xBA55ED50;
  const std::uint16_t header = 16;
  const std::uint64_t entries = 1000;
  std::memcpy(fatbin.data(), &magic, 4);
  std::memcpy(fatbin.data() + 6, &header, 2);
  std::memcpy(fatbin.data() + 8, &entries, 8);
  EXPECT_EQ(image_bytes(fatbin.data()).size(), 1016u);
  EXPECT_TRUE(image_bytes(std::vector<std::uint8_t>(64).data()).empty());
}

}  // namespace
