// Occupancy against what Nsight Compute says of launches on an H200. Its limit by shared memory follows the carve-out
// that the driver chose for the launch, which no public rule gives: not compared here.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tune/occupancy.h"

namespace lanescope::tune {
namespace {

class OccupancyTruth : public testing::TestWithParam<const char*> {};

TEST_P(OccupancyTruth, LimitsAndWarps) {
  std::ifstream file(std::string(LANESCOPE_TEST_DATA "/truth/data/") + GetParam());
  int launches = 0;
  for (std::string line; std::getline(file, line); ++launches) {
    const nlohmann::json launch = nlohmann::json::parse(line);
    const nlohmann::json& hardware = launch["hardware"];
    KernelResources kernel;
    kernel.threads = 1;
    for (int axis = 0; axis < 3; ++axis) kernel.threads *= launch["block"][axis].get<std::uint32_t>();
    kernel.registers = hardware["registers_per_thread"];
    kernel.static_shared = hardware["shared_static_bytes"];
    kernel.dynamic_shared = hardware["shared_dynamic_bytes"];
    const Occupancy ours = occupancy(*isa::find_arch(90), kernel);
    SCOPED_TRACE(launch["kernel"].dump());
    EXPECT_EQ(ours.limit_registers, hardware["limit_blocks_registers"]);
    EXPECT_EQ(ours.limit_warps, hardware["limit_blocks_warps"]);
    EXPECT_EQ(ours.limit_blocks, hardware["limit_blocks_blocks"]);
    EXPECT_DOUBLE_EQ(100 * ours.fraction(), hardware["theoretical_occupancy_pct"]);
  }
  EXPECT_GE(launches, 9);
}

INSTANTIATE_TEST_SUITE_P(H200, OccupancyTruth,
                         testing::Values("h200-textbook-64.jsonl", "h200-textbook-256.jsonl",
                                         "h200-textbook-1024.jsonl", "h200-divergence.jsonl"));

}  // namespace
}  // namespace lanescope::tune
