// What a process leaves in its spool, whatever becomes of it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/spool.h"

namespace {

using lanescope::report::Report;

class Spools : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/lanescope-spool-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The exit status of the program as waitpid gives it.
  int run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment = {}) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("LANESCOPE_SPOOL", folder_.c_str(), 1);
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> argv{const_cast<char*>("spool_program")};
      for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      execv(LANESCOPE_SPOOL_PROGRAM, argv.data());
      _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::vector<Report> reports() const {
    auto read = lanescope::report::read_spool(folder_);
    EXPECT_TRUE(read.has_value());
    return read ? std::move(*read) : std::vector<Report>{};
  }

  std::string folder_;
};

std::vector<std::string> kernels_of(const Report& report) {
  std::vector<std::string> names;
  for (const auto& launch : report.launches) names.push_back(launch.kernel);
  return names;
}

TEST_F(Spools, HoldEveryLaunch) {
  ASSERT_EQ(run({"launch", "3"}), 0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].program, "spool_program launch 3");
  EXPECT_EQ(all[0].sm, 90u);
  EXPECT_EQ(all[0].chip, "H200");
  EXPECT_EQ(kernels_of(all[0]), (std::vector<std::string>{"axpy", "variables", "axpy"}));
  const auto& launch = all[0].launches[0];
  EXPECT_EQ(launch.id, 1u);
  EXPECT_EQ(launch.grid[0], 2u);
  EXPECT_EQ(launch.block[0], 32u);
  EXPECT_EQ(launch.occupancy.theoretical_warps, 32);  // 32 blocks of one warp
  ASSERT_FALSE(launch.rows.empty());
  EXPECT_EQ(launch.rows[0].executed, 2u);  // two warps
  EXPECT_EQ(launch.rows[0].threads, 64u);
  // y[i] = a * x[i] + y[i] on whole warps of floats: two loads and a store, four sectors a warp each.
  std::uint64_t accesses = 0, sectors = 0;
  for (const auto& row : launch.rows) {
    if (!row.memory) continue;
    accesses += row.memory->accesses;
    sectors += row.memory->sectors;
  }
  EXPECT_EQ(accesses, 6u);
  EXPECT_EQ(sectors, 24u);
}

TEST_F(Spools, HoldTheLaunchesThatAreAskedFor) {
  ASSERT_EQ(run({"launch", "9"},
                {{"LANESCOPE_KERNEL", "^ax"}, {"LANESCOPE_LAUNCH_SKIP", "1"}, {"LANESCOPE_LAUNCH_COUNT", "2"}}),
            0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].launches.size(), 2u);
  EXPECT_EQ(all[0].launches[0].id, 3u);
  EXPECT_EQ(all[0].launches[1].id, 5u);
}

TEST_F(Spools, HoldNoLaunchWhenNothingIsCounted) {
  ASSERT_EQ(run({"launch", "3"}, {{"LANESCOPE_COUNT", "0"}}), 0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].launches.empty());
}

TEST_F(Spools, CountTheSameWithAnyNumberOfThreads) {
  ASSERT_EQ(run({"launch", "2"}, {{"LANESCOPE_THREADS", "1"}}), 0);
  ASSERT_EQ(run({"launch", "2"}, {{"LANESCOPE_THREADS", "3"}}), 0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& rows = all[0].launches[i].rows;
    ASSERT_EQ(rows.size(), all[1].launches[i].rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_EQ(rows[row].executed, all[1].launches[i].rows[row].executed);
      if (rows[row].memory) {
        EXPECT_EQ(rows[row].memory->sectors, all[1].launches[i].rows[row].memory->sectors);
      }
    }
  }
}

TEST_F(Spools, AreOneForEachProcess) {
  ASSERT_EQ(run({"fork"}), 0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].process, all[1].process);
  EXPECT_EQ(all[0].launches.size(), 1u);
  EXPECT_EQ(all[1].launches.size(), 1u);
}

TEST_F(Spools, GoOnAfterExec) {
  ASSERT_EQ(run({"exec"}), 0);
  const auto all = reports();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].process, all[1].process);
  EXPECT_EQ(all[0].launches.size(), 1u);
  EXPECT_EQ(all[1].launches.size(), 2u);
  EXPECT_EQ(all[1].program, "spool_program launch 2");
}

TEST_F(Spools, SurviveAKill) {
  EXPECT_TRUE(WIFSIGNALED(run({"kill"})));
  const auto all = reports();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].launches.size(), 2u);
}

TEST_F(Spools, TellOfFaults) {
  const int status = run({"fault"});
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 17);
  const auto all = reports();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].launches.size(), 1u);
  EXPECT_NE(all[0].launches[0].stopped.find("store_at"), std::string::npos);
  const bool noted = std::any_of(all[0].notes.begin(), all[0].notes.end(),
                                 [](const auto& note) { return note.find("store_at") != std::string::npos; });
  EXPECT_TRUE(noted);
}

}  // namespace
