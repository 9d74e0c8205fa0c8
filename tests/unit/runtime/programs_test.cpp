// Whole programs as nvcc builds them, with our library in place of CUDA's. Each checks its own results.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> programs() {
  std::istringstream list(LANESCOPE_PROGRAMS);
  std::vector<std::string> names;
  for (std::string name; list >> name;) names.push_back(name);
  return names;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class Programs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Nvcc, Programs, testing::ValuesIn(programs()),
                         [](const auto& each) { return file_name(each.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Programs);  // no nvcc here

TEST_P(Programs, Pass) {
  const std::string command = "LD_LIBRARY_PATH=" + std::string(LANESCOPE_BINARY_DIR) + "/lib '" + GetParam() + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  const int status = pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << output;
  EXPECT_TRUE(output.ends_with("PASS\n")) << output;  // a note on instructions that are never reached may stand before
}

}  // namespace
