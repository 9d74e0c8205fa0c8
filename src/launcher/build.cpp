#include "launcher/build.h"

#include <algorithm>
#include <filesystem>

#include "launcher/child.h"
#include "launcher/compile.h"
#include "launcher/files.h"

namespace lanescope::launcher {

std::vector<std::string> with_shared_runtime(std::vector<std::string> command) {
  constexpr const char* kOtherModes[] = {"--build", "--install", "--open", "-E", "-P", "--find-package", "--version"};
  const bool cmake = std::filesystem::path(command.front()).filename() == "cmake";
  const bool configures = std::none_of(command.begin(), command.end(), [&](const std::string& word) {
    return std::find(std::begin(kOtherModes), std::end(kOtherModes), word) != std::end(kOtherModes);
  });
  if (cmake && configures) command.push_back("-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared");
  return command;
}

Result<int> build(std::vector<std::string> command) {
  command = with_shared_runtime(std::move(command));
  const auto path = find_program(command.front());
  if (!path) return tl::unexpected(path.error());
  const auto end =
      run_child({*path, command, {{"NVCC_APPEND_FLAGS", appended("NVCC_APPEND_FLAGS", kCompilerFlags, ' ')}}});
  if (!end) return tl::unexpected(end.error());
  return end->code;
}

}  // namespace lanescope::launcher
