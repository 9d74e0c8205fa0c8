#include "launcher/build.h"
#include "cli/commands.h"

namespace lanescope::cli {
namespace {

int build(const std::vector<std::string>& words) {
  if (words.empty()) {
    return fail({Fault::kUsage, "build: which command? lanescope build [--] command [arguments]"});
  }
  const auto code = launcher::build(words);
  return code ? *code : fail(code.error());
}

}  // namespace

Command add_build(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("build", "Run a build so that its programs can be run here.");
  command->add_option("command", *words)->type_name("[arguments]");
  command->footer(
      "lanescope build -- make -j8\n"
      "lanescope build -- cmake -S . -B build && lanescope build -- cmake --build build\n"
      "\n"
      "Adds '-cudart shared -lineinfo' to NVCC_APPEND_FLAGS, so that nvcc links the\n"
      "CUDA runtime as a library that can be replaced and keeps source lines. A cmake\n"
      "that configures also gets -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared. What is compiled\n"
      "already stays as it is: build from clean. The exit code is the command's.");
  return {command, [words] { return build(*words); }, words};
}

}  // namespace lanescope::cli
