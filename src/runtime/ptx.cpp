#include "runtime/ptx.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace lanescope::runtime {
namespace {

namespace fs = std::filesystem;

std::string find_ptxas() {
  std::string folders = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  if (const char* home = std::getenv("CUDA_HOME")) folders += fmt::format(":{}/bin", home);
  folders += ":/usr/local/cuda/bin";
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::string path = folders.substr(start, end - start) + "/ptxas";
    if (end > start && access(path.c_str(), X_OK) == 0) return path;
    start = end + 1;
  }
  return {};
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The exit status as waitpid gives it, or -1. What it says goes to the file `log`. It must not load us again.
int run(const std::string& program, std::vector<std::string> arguments, const fs::path& log) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())}, environment;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environment.data()) == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = fs::temp_directory_path() / "lanescope-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

Result<std::vector<std::uint8_t>> assemble(const std::string& ptx, std::uint32_t sm) {
  const std::string ptxas = find_ptxas();
  if (ptxas.empty()) return input_error("ptxas is not installed");
  const TemporaryFolder folder;
  if (folder.path().empty()) return input_error("cannot make a temporary folder for ptxas");
  const fs::path in = folder.path() / "in.ptx", out = folder.path() / "out.cubin", log = folder.path() / "log";
  std::ofstream(in, std::ios::binary) << ptx.substr(0, ptx.find('\0'));
  const int status = run(ptxas, {fmt::format("-arch=sm_{}", sm), in.string(), "-o", out.string()}, log);
  if (status != 0) return input_error("ptxas refuses it: {}", read_text(log));
  const std::string cubin = read_text(out);
  return std::vector<std::uint8_t>(cubin.begin(), cubin.end());
}

}  // namespace lanescope::runtime
