#include "launcher/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "launcher/child.h"
#include "launcher/compile.h"
#include "launcher/files.h"
#include "launcher/program.h"
#include "report/sources.h"
#include "report/spool.h"

namespace lanescope::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kDefaultArchitecture = 90;

// The libraries to load before all others: the version that the program needs, or, for a program that may start CUDA
// programs, each that there is.
std::string preloads(const std::string& folder, const Program& program) {
  if (program.cudart != 0) return fmt::format("{}/libcudart.so.{}", folder, program.cudart);
  std::string list;
  for (const int version : {13, 12}) {
    const std::string path = fmt::format("{}/libcudart.so.{}", folder, version);
    if (fs::exists(path)) list += (list.empty() ? "" : ":") + path;
  }
  return list;
}

std::map<std::string, std::string> environment_of(const RunRequest& request, const Program& program, std::uint32_t sm,
                                                  const std::string& folder, const std::string& spool) {
  std::map<std::string, std::string> environment = {
      {"LANESCOPE_SPOOL", spool},
      {"LANESCOPE_SM", std::to_string(sm == 0 ? kDefaultArchitecture : sm)},
      {"LD_LIBRARY_PATH", prepended("LD_LIBRARY_PATH", folder, ':')},
      {"LD_PRELOAD", prepended("LD_PRELOAD", preloads(folder, program), ':')}};
  const auto set = [&](const char* name, bool wanted, const std::string& value) {
    if (wanted) environment[name] = value;
  };
  set("LANESCOPE_THREADS", request.threads != 0, std::to_string(request.threads));
  set("LANESCOPE_KERNEL", !request.kernel.empty(), request.kernel);
  set("LANESCOPE_LAUNCH_SKIP", request.launch_skip != 0, std::to_string(request.launch_skip));
  set("LANESCOPE_LAUNCH_COUNT", request.launch_count.has_value(), std::to_string(request.launch_count.value_or(0)));
  set("LANESCOPE_DETERMINISTIC", request.deterministic, "1");
  set("LANESCOPE_MAX_INSTRUCTIONS", request.max_instructions.has_value(),
      std::to_string(request.max_instructions.value_or(0)));
  return environment;
}

Result<Program> inspect(const std::string& path, const std::string& name) {
  const auto bytes = read_file(path);
  if (!bytes) return Program{};  // executable, though not readable
  return inspect_program(*bytes, name);
}

Result<void> check_cudart(const Program& program, const std::string& name, const std::string& folder) {
  if (program.cudart == 0 || fs::exists(fmt::format("{}/libcudart.so.{}", folder, program.cudart))) return {};
  return input_error("{}: needs libcudart.so.{}; CUDA 12 and 13 can be stood in for", name, program.cudart);
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Positions are those of the time of compilation.
void note_newer_sources(report::Document& document, const std::string& program) {
  std::error_code failure;
  const auto built = fs::last_write_time(program, failure);
  if (failure || document.processes.empty()) return;
  for (const auto& [file, lines] : document.sources) {
    const auto changed = fs::last_write_time(file, failure);
    if (!failure && changed > built)
      document.processes.front().notes.push_back(
          fmt::format("{} has changed since {} was compiled: the lines shown may be others", file, program));
  }
}

}  // namespace

Result<std::string> runtime_folder() {
  std::error_code failure;
  const fs::path tool = fs::read_symlink("/proc/self/exe", failure);
  const fs::path prefix = tool.parent_path().parent_path();
  for (const char* folder : {"lib", "lib/lanescope", "lib/x86_64-linux-gnu/lanescope", "lib64/lanescope"}) {
    if (fs::exists(prefix / folder / "libcudart.so.13", failure)) return (prefix / folder).string();
  }
  return internal_error("{}: its runtime library libcudart.so.13 is neither in ../lib nor in ../lib/lanescope",
                        tool.string());
}

Result<report::Document> run(const RunRequest& request) {
  const std::string& name = request.command.front();
  const auto libraries = runtime_folder();
  if (!libraries) return tl::unexpected(libraries.error());
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());

  const bool source = name.ends_with(".cu");
  const auto path = source ? compile({name, fmt::format("sm_{}", request.sm.value_or(kDefaultArchitecture)),
                                      request.nvcc_flags, folder->path()})
                           : find_program(name);
  if (!path) return tl::unexpected(path.error());
  const auto program = inspect(*path, name);
  if (!program) return tl::unexpected(program.error());
  if (auto fit = check_cudart(*program, name, *libraries); !fit) return tl::unexpected(fit.error());
  const auto sm = choose_architecture(*program, name, request.sm, find_tool("ptxas").has_value());
  if (!sm) return tl::unexpected(sm.error());

  const std::string spool = folder->path() + "/spool";
  fs::create_directory(spool);
  Child child{*path, request.command, environment_of(request, *program, *sm, *libraries, spool)};
  if (source) child.arguments.front() = *path;
  const auto end = run_child(child);
  if (!end) return tl::unexpected(end.error());

  auto reports = report::read_spool(spool);
  if (!reports) return tl::unexpected(reports.error());
  report::Document document;
  document.program = joined(request.command);
  document.exit_code = end->code;
  document.processes = std::move(*reports);
  document.sources = report::read_sources(document.processes);
  if (!source) note_newer_sources(document, *path);
  return document;
}

}  // namespace lanescope::launcher
