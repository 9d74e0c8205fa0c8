#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "launcher/build.h"
#include "launcher/child.h"
#include "launcher/files.h"
#include "launcher/program.h"

namespace lanescope::launcher {
namespace {

namespace fs = std::filesystem;

std::string script(const TemporaryFolder& folder, const std::string& name, const std::string& text, int mode = 0755) {
  const std::string path = folder.path() + "/" + name;
  std::ofstream(path) << text;
  chmod(path.c_str(), static_cast<mode_t>(mode));
  return path;
}

TemporaryFolder make_folder() {
  auto folder = TemporaryFolder::create();
  EXPECT_TRUE(folder);
  return std::move(*folder);
}

ChildEnd end_of(const std::string& command) {
  const auto end = run_child({"/bin/sh", {"sh", "-c", command}, {{"GREETING", "hello"}}});
  EXPECT_TRUE(end);
  return end.value_or(ChildEnd{-1, 0});
}

TEST(TemporaryFolder, GoesWithItsContents) {
  std::string path;
  {
    const TemporaryFolder folder = make_folder();
    path = folder.path();
    fs::create_directories(path + "/a/b");
    script(folder, "file", "x");
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(FindProgram, LooksInPathUnlessThereIsASlash) {
  const TemporaryFolder folder = make_folder();
  const std::string path = script(folder, "tool-of-this-test", "#!/bin/sh\n");
  EXPECT_FALSE(find_program("tool-of-this-test"));
  EXPECT_EQ(find_program(path).value_or(""), path);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (folder.path() + ":" + before).c_str(), 1);
  EXPECT_EQ(find_program("tool-of-this-test").value_or(""), path);
  setenv("PATH", before.c_str(), 1);
}

TEST(FindProgram, TellsWhy) {
  const TemporaryFolder folder = make_folder();
  EXPECT_NE(find_program(folder.path() + "/none").error().message.find("no such file"), std::string::npos);
  EXPECT_NE(find_program(folder.path()).error().message.find("not a file"), std::string::npos);
  EXPECT_NE(find_program(script(folder, "plain", "x", 0644)).error().message.find("chmod"), std::string::npos);
  EXPECT_EQ(find_program("no-such-program-here").error().fault, Fault::kInput);
}

TEST(Child, GivesItsCodeOrItsSignal) {
  EXPECT_EQ(end_of("exit 0").code, 0);
  EXPECT_EQ(end_of("exit 77").code, 77);
  EXPECT_EQ(end_of("kill -SEGV $$").code, 128 + SIGSEGV);
  EXPECT_EQ(end_of("kill -SEGV $$").signal, SIGSEGV);
}

TEST(Child, HasOurEnvironmentAndMore) {
  setenv("LANESCOPE_TEST_VARIABLE", "kept", 1);
  EXPECT_EQ(end_of("test \"$GREETING $LANESCOPE_TEST_VARIABLE\" = 'hello kept'").code, 0);
}

TEST(Child, ReceivesSignalsThatAreSentToUs) {
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGTERM);
  });
  EXPECT_EQ(end_of("trap 'exit 9' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done").code, 9);
  sender.join();
}

TEST(Child, MayBeAScriptWithoutAnInterpreterLine) {
  const TemporaryFolder folder = make_folder();
  const auto end = run_child({script(folder, "bare", "exit $1\n"), {"bare", "5"}, {}});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code, 5);
}

TEST(Child, ThatCannotStartIsAnError) {
  const auto end = run_child({"/nonexistent/program", {"program"}, {}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().fault, Fault::kInput);
}

TEST(Environment, IsExtended) {
  setenv("LANESCOPE_TEST_LIST", "old", 1);
  EXPECT_EQ(prepended("LANESCOPE_TEST_LIST", "new", ':'), "new:old");
  EXPECT_EQ(appended("LANESCOPE_TEST_LIST", "new", ' '), "old new");
  unsetenv("LANESCOPE_TEST_LIST");
  EXPECT_EQ(prepended("LANESCOPE_TEST_LIST", "new", ':'), "new");
}

TEST(Program, WithoutDeviceCodeIsRunAsItIs) {
  const auto shell = read_file("/bin/sh");
  ASSERT_TRUE(shell);
  const auto program = inspect_program(*shell, "test");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->elf);
  EXPECT_FALSE(program->device_code);
  EXPECT_EQ(program->cudart, 0);
  EXPECT_EQ(choose_architecture(*program, "test", std::nullopt, false).value_or(1), 0u);
}

TEST(Program, SurvivesDamagedFiles) {
  auto bytes = read_file("/bin/sh").value_or(std::vector<std::uint8_t>());
  ASSERT_GT(bytes.size(), 4096u);
  for (std::size_t length = 0; length < 4096; length += 7)
    static_cast<void>(inspect_program(Bytes(bytes).first(length), "cut"));
  for (std::size_t at = 0; at < 64; ++at) {  // the header
    bytes[at] ^= 0xff;
    static_cast<void>(inspect_program(bytes, "flipped"));
    bytes[at] ^= 0xff;
  }
}

Program with_code(std::vector<std::uint32_t> sm, std::vector<std::uint32_t> compute = {}) {
  Program program;
  program.elf = program.device_code = true;
  program.cudart = 13;
  program.sm = std::move(sm);
  program.compute = std::move(compute);
  return program;
}

TEST(Architecture, IsOneThatTheProgramHasCodeFor) {
  EXPECT_EQ(choose_architecture(with_code({80, 90}), "p", std::nullopt, false).value_or(0), 90u);
  EXPECT_EQ(choose_architecture(with_code({90}), "p", 90, false).value_or(0), 90u);
  const auto old = choose_architecture(with_code({75}, {75}), "p", std::nullopt, false);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().fault, Fault::kInput);
  EXPECT_NE(old.error().message.find("sm_75, compute_75"), std::string::npos);
  EXPECT_NE(old.error().message.find("-arch=sm_90"), std::string::npos);
}

TEST(Architecture, MayComeFromPtx) {
  EXPECT_EQ(choose_architecture(with_code({75}, {75}), "p", std::nullopt, true).value_or(0), 90u);
  EXPECT_FALSE(choose_architecture(with_code({100}, {100}), "p", std::nullopt, true));
}

TEST(Architecture, CannotMendAStaticRuntime) {
  Program program = with_code({90});
  program.static_cudart = true;
  const auto sm = choose_architecture(program, "p", std::nullopt, true);
  ASSERT_FALSE(sm);
  EXPECT_NE(sm.error().message.find("NVCC_APPEND_FLAGS='-cudart shared"), std::string::npos);
  EXPECT_NE(sm.error().message.find("CMAKE_CUDA_RUNTIME_LIBRARY=Shared"), std::string::npos);
}

TEST(Architecture, IsParsed) {
  EXPECT_EQ(parse_architecture("sm_90").value_or(0), 90u);
  EXPECT_EQ(parse_architecture("90").value_or(0), 90u);
  EXPECT_EQ(parse_architecture("sm_90a").value_or(0), 90u);
  for (const char* text : {"", "sm_", "sm_90x", "sm_9", "ninety", "sm_70"})
    EXPECT_FALSE(parse_architecture(text)) << text;
}

TEST(Build, TellsAConfiguringCmake) {
  using Words = std::vector<std::string>;
  const std::string shared = "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared";
  EXPECT_EQ(with_shared_runtime({"cmake", "-B", "b"}), (Words{"cmake", "-B", "b", shared}));
  EXPECT_EQ(with_shared_runtime({"/usr/bin/cmake", "."}), (Words{"/usr/bin/cmake", ".", shared}));
  EXPECT_EQ(with_shared_runtime({"cmake", "--build", "b"}), (Words{"cmake", "--build", "b"}));
  EXPECT_EQ(with_shared_runtime({"make", "cmake"}), (Words{"make", "cmake"}));
}

}  // namespace
}  // namespace lanescope::launcher
