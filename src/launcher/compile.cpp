#include "launcher/compile.h"

#include <cstdlib>
#include <filesystem>

#include "launcher/child.h"
#include "launcher/files.h"

namespace lanescope::launcher {

Result<std::string> find_tool(const std::string& name) {
  if (auto found = find_program(name)) return found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr || *folder == '\0') continue;
    if (auto found = find_program(std::string(folder) + "/bin/" + name)) return found;
  }
  if (auto found = find_program("/usr/local/cuda/bin/" + name)) return found;
  return input_error("no {} in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin", name);
}

Result<std::string> compile(const CompileRequest& request) {
  const auto nvcc = find_tool("nvcc");
  if (!nvcc)
    return input_error(
        "{}: {}: install the CUDA toolkit, or compile elsewhere with nvcc -arch=sm_90 {} and run the program",
        request.source, nvcc.error().message, kCompilerFlags);
  if (!std::filesystem::is_regular_file(request.source)) return input_error("{}: no such file", request.source);
  const std::string program = request.folder + "/" + std::filesystem::path(request.source).stem().string();
  Child child{*nvcc, {"nvcc", "-arch=" + request.arch, "-lineinfo", "-cudart", "shared"}, {}};
  child.arguments.insert(child.arguments.end(), request.flags.begin(), request.flags.end());
  child.arguments.insert(child.arguments.end(), {"-o", program, request.source});
  const auto end = run_child(child);
  if (!end) return tl::unexpected(end.error());
  if (end->code != 0) return input_error("{}: nvcc could not compile it (exit code {})", request.source, end->code);
  return program;
}

}  // namespace lanescope::launcher
