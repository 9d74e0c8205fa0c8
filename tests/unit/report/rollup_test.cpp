#include "report/rollup.h"

#include <gtest/gtest.h>

#include "sample.h"

namespace lanescope::report {
namespace {

InstructionRow memory_row(engine::Access access, std::uint8_t spaces) {
  InstructionRow row;
  row.text = "LDGSTS.E [R1], desc[UR4][R2.64]";
  row.executed = 10;
  row.threads = row.threads_on = 320;
  row.memory.emplace();
  row.memory->access = access;
  row.memory->spaces = spaces;
  return row;
}

TEST(Figures, AddUpOverALaunch) {
  const Figures f = total_of(sample::transpose().rows, Rules::kHardware);
  EXPECT_EQ(f.wavefronts, 2048u + 65536u);
  EXPECT_EQ(f.lost_wavefronts, 63488u);
  EXPECT_EQ(f.shared_accesses, 4096u);
  EXPECT_EQ(f.sectors, 16384u);
  EXPECT_EQ(f.excess_sectors, 0u);
  EXPECT_EQ(f.executed, 512u * 2 + 2048u * 4);
  EXPECT_EQ(f.idle_lanes, 0u);
  EXPECT_DOUBLE_EQ(f.cost(), 63488.0);
}

TEST(Figures, FollowNsightComputesRuleWhereAsked) {
  InstructionRow row = memory_row(engine::Access::kLoad, 2);
  row.memory->wavefronts = 40;
  row.memory->wavefronts_ncu = 44;
  row.memory->wavefronts_ideal_ncu = 30;
  row.memory->conflicts = 20;
  EXPECT_EQ(figures_of(row, Rules::kHardware).lost_wavefronts, 20u);
  EXPECT_EQ(figures_of(row, Rules::kHardware).wavefronts, 40u);
  EXPECT_EQ(figures_of(row, Rules::kNcu).lost_wavefronts, 14u);
  EXPECT_EQ(figures_of(row, Rules::kNcu).wavefronts, 44u);
}

TEST(Figures, CountAnAsynchronousCopyOnceOnEachSide) {
  InstructionRow row = memory_row(engine::Access::kAsyncWrite, 3);
  row.memory->accesses = 20;  // ten reads, ten writes
  EXPECT_EQ(figures_of(row, Rules::kHardware).shared_accesses, 10u);
  EXPECT_EQ(figures_of(row, Rules::kHardware).global_accesses, 10u);
}

TEST(Figures, LeaveBranchesOutOfIdleLanes) {
  InstructionRow row;
  row.executed = 4;
  row.threads = 128;
  row.threads_on = 0;
  row.text = "@!P0 BRA 0x40";
  EXPECT_EQ(figures_of(row, Rules::kHardware).idle_lanes, 0u);
  row.text = "@!P0 FADD R1, R2, R3";
  EXPECT_EQ(figures_of(row, Rules::kHardware).idle_lanes, 128u);
}

TEST(Lines, TheCostliestFirst) {
  const auto lines = by_line(sample::transpose().rows, Rules::kHardware);
  ASSERT_EQ(lines.size(), 2u);  // lines without access to memory are not among them
  EXPECT_EQ(lines[0].at.line, 47u);
  EXPECT_EQ(lines[0].figures.lost_wavefronts, 63488u);
  EXPECT_EQ(lines[0].figures.sectors, 8192u);
  EXPECT_EQ(lines[0].arrays, std::vector<std::string>{"t"});
  EXPECT_EQ(lines[1].at.line, 45u);
}

TEST(Lines, BelongToTheReadersOwnCode) {
  InstructionRow row;
  row.at = {{"/usr/local/cuda/targets/x86_64-linux/include/sm_20_atomic_functions.hpp", 82}, {"/home/me/k.cu", 7}};
  EXPECT_EQ(line_of(row).line, 7u);
  row.at.pop_back();
  EXPECT_EQ(line_of(row).line, 82u);
  row.at.clear();
  EXPECT_EQ(line_of(row).line, 0u);
}

TEST(Arrays, TheWorstFirst) {
  Launch launch = sample::transpose();
  launch.rows[2].shared_array = "a";
  const auto arrays = by_array(launch.rows, Rules::kHardware);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].name, "t");
  EXPECT_EQ(arrays[0].figures.lost_wavefronts, 63488u);
  EXPECT_EQ(arrays[1].name, "a");
  EXPECT_EQ(arrays[1].figures.lost_wavefronts, 0u);
}

TEST(Groups, HoldLaunchesOfOneKernelAndShape) {
  const Document document = sample::document();
  const auto groups = by_kernel(document, Rules::kHardware);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].launches.size(), 1u);
  EXPECT_EQ(groups[1].launches.size(), 2u);
}

TEST(Groups, OfAlikeLaunchesShowOne) {
  Document document = sample::document();
  Launch again = document.processes[0].launches[1];
  again.rows.clear();
  again.rows_of = 1;
  document.processes[0].launches = {sample::transpose(), sample::scale(2), again};
  const auto groups = by_kernel(document, Rules::kHardware);
  ASSERT_EQ(groups[1].launches.size(), 2u);
  EXPECT_TRUE(groups[1].alike);
  EXPECT_EQ(groups[1].total.sectors, 4096u);
}

TEST(Groups, OfUnlikeLaunchesAddThemUp) {
  Document document = sample::document();
  document.processes[0].launches[2].rows[0].memory->sectors = 5000;
  const auto groups = by_kernel(document, Rules::kHardware);
  ASSERT_EQ(groups[1].launches.size(), 2u);
  EXPECT_FALSE(groups[1].alike);
  EXPECT_EQ(groups[1].total.sectors, 2048u * 3 + 5000u);
}

TEST(Groups, KeepShapesAndCodeApart) {
  Document document = sample::document();
  document.processes[0].launches[2].grid[0] = 65;
  EXPECT_EQ(by_kernel(document, Rules::kHardware).size(), 3u);
  document = sample::document();
  document.processes[0].launches[2].rows[0].text = "LDG.E.64 R0, desc[UR4][R2.64]";  // of another module
  EXPECT_EQ(by_kernel(document, Rules::kHardware).size(), 3u);
}

Level shared_level(std::uint64_t conflicts) {
  InstructionRow row = memory_row(engine::Access::kLoad, 2);
  row.memory->wavefronts = 1000;
  row.memory->conflicts = conflicts;
  return verdicts_of({row}, Rules::kHardware).front().level;
}

TEST(Verdicts, FollowTheThresholds) {
  EXPECT_EQ(shared_level(0), Level::kGood);
  EXPECT_EQ(shared_level(49), Level::kGood);
  EXPECT_EQ(shared_level(50), Level::kWatch);
  EXPECT_EQ(shared_level(100), Level::kWatch);
  EXPECT_EQ(shared_level(101), Level::kBad);
}

TEST(Verdicts, NameTheCulprit) {
  const auto verdicts = verdicts_of(sample::transpose().rows, Rules::kHardware);
  const Verdict& shared = verdicts.front();
  EXPECT_EQ(shared.subject, Verdict::Subject::kShared);
  EXPECT_EQ(shared.level, Level::kBad);
  EXPECT_NEAR(shared.share(), 63488.0 / 67584, 1e-12);
  ASSERT_EQ(shared.culprits.size(), 1u);
  EXPECT_EQ(shared.culprits[0].at.line, 47u);
}

TEST(Verdicts, SpeakOnlyOfWhatThereIs) {
  for (const Verdict& v : verdicts_of(sample::scale(1).rows, Rules::kHardware)) {
    EXPECT_NE(v.subject, Verdict::Subject::kShared);
    EXPECT_NE(v.subject, Verdict::Subject::kLocal);
  }
}

TEST(Verdicts, AlwaysMentionLocalMemory) {
  InstructionRow row = memory_row(engine::Access::kLoad, 4);
  row.memory->local_sectors = 1;
  const auto verdicts = verdicts_of({row}, Rules::kHardware);
  EXPECT_EQ(verdicts.front().subject, Verdict::Subject::kLocal);
  EXPECT_NE(verdicts.front().level, Level::kGood);
}

TEST(Problems, AreStopsAndWhatTheRuntimeRefused) {
  Document document = sample::document();
  EXPECT_FALSE(has_problems(document));
  document.processes[0].launches[1].stopped = "out of bounds";
  EXPECT_TRUE(has_problems(document));
  document = sample::document();
  document.processes[0].problems.push_back("unsupported: HMMA");
  EXPECT_TRUE(has_problems(document));
}

TEST(ShortName, LeavesTypesAndParametersAway) {
  EXPECT_EQ(short_name("void transpose_tile<(int)0>(const float *, float *, int)"), "transpose_tile<0>");
  EXPECT_EQ(short_name("scale(float *, float, int)"), "scale");
  EXPECT_EQ(short_name("void ns::k<ns::pair<int, float (*)(int)>>(int)"), "ns::k<ns::pair<int, float (*)(int)>>");
  EXPECT_EQ(short_name("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
  EXPECT_EQ(short_name("void tiled<(int)32, (bool)1, (long)-4, float>(int)"), "tiled<32, 1, -4, float>");
  EXPECT_EQ(short_name("plain_c_name"), "plain_c_name");
  EXPECT_EQ(short_name(""), "");
}

}  // namespace
}  // namespace lanescope::report
