#include "launcher/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace lanescope::launcher {
namespace {

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_executable(const std::string& path) { return is_file(path) && access(path.c_str(), X_OK) == 0; }

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/lanescope-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return internal_error("no temporary folder could be made as {}: {}", path, std::strerror(errno));
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::vector<std::uint8_t>> read_file(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return input_error("{} is a folder, not a file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return input_error("{} cannot be read: {}", path, std::strerror(errno));
  return std::vector<std::uint8_t>{std::istreambuf_iterator<char>(file), {}};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) return input_error("{} cannot be written: {}", path, std::strerror(errno));
  return {};
}

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_executable(name)) return name;
    if (access(name.c_str(), F_OK) != 0) return input_error("{}: no such file", name);
    if (!is_file(name)) return input_error("{}: not a file that can be run", name);
    return input_error("{}: not executable, try chmod +x", name);
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    const std::string path = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(path)) return path;
    if (colon == std::string_view::npos) break;
    folders.remove_prefix(colon + 1);
  }
  if (is_executable("./" + name))
    return input_error("{}: not in PATH; for the one in this folder write ./{}", name, name);
  return input_error("{}: no such program in PATH", name);
}

}  // namespace lanescope::launcher
