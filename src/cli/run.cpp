#include <fmt/format.h>
#include <regex>

#include "cli/commands.h"
#include "cli/output.h"
#include "launcher/files.h"
#include "launcher/program.h"
#include "launcher/run.h"

namespace lanescope::cli {
namespace {

struct Options {
  launcher::RunRequest request;
  std::string arch, nvcc_flags, log_file;
  bool quiet = false;
  int error_exitcode = 0;
  OutputOptions output;
};

void add_program_options(CLI::App& app, Options& o) {
  app.add_option("--arch", o.arch,
                 "the architecture to model, and to compile a .cu file for; by default what the program has code for")
      ->type_name("sm_NN")
      ->group("program");
  app.add_option("--nvcc-flags", o.nvcc_flags, "more flags for compiling a .cu file, as one word: '-O2 -DTILE=16'")
      ->type_name("FLAGS")
      ->group("program");
  app.add_option("--threads", o.request.threads, "threads that run blocks; by default one a core")
      ->type_name("N")
      ->group("program");
  app.add_flag("--deterministic", o.request.deterministic, "run blocks in order on one thread, so that runs are alike")
      ->group("program");
  app.add_option("--max-instructions", o.request.max_instructions,
                 "stop a launch after so many warp instructions; 0: never")
      ->type_name("N")
      ->group("program");
  app.add_option("--error-exitcode", o.error_exitcode,
                 "exit with N when something could not be run as on a GPU, whatever the program's own code")
      ->type_name("N")
      ->check(CLI::Range(1, 255))
      ->group("program");
}

void add_selection_options(CLI::App& app, Options& o) {
  app.add_option("--kernel", o.request.kernel, "count only kernels whose name matches, such as 'transpose|matmul'")
      ->type_name("REGEX")
      ->group("selection");
  app.add_option("--launch-skip", o.request.launch_skip, "leave out the first N of the matching launches")
      ->type_name("N")
      ->group("selection");
  app.add_option("--launch-count", o.request.launch_count, "count only N of the matching launches")
      ->type_name("N")
      ->group("selection");
}

std::vector<std::string> split(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : CLI::detail::split_up(text);
}

Result<void> complete(Options& o, const std::vector<std::string>& words) {
  if (words.empty()) return usage_error("run: which program? lanescope run [options] program [arguments]");
  o.request.command = words;
  o.request.nvcc_flags = split(o.nvcc_flags);
  try {
    std::regex(o.request.kernel, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    return usage_error("--kernel '{}' is not a regular expression", o.request.kernel);
  }
  if (o.arch.empty()) return {};
  const auto sm = launcher::parse_architecture(o.arch);
  if (!sm) return tl::unexpected(sm.error());
  o.request.sm = *sm;
  return {};
}

Result<void> print(const report::Document& document, const Options& o) {
  if (!o.log_file.empty()) return launcher::write_file(o.log_file, terminal_view(document, o.output, -1));
  if (o.quiet) return {};
  fmt::print(stderr, "\n{}", terminal_view(document, o.output, 2));
  return {};
}

// The program's own code wins over ours, but for --error-exitcode.
int exit_code(const report::Document& document, const Options& o, bool gates_hold) {
  if (o.error_exitcode != 0 && report::has_problems(document)) return o.error_exitcode;
  if (document.exit_code != 0) return document.exit_code;
  return gates_hold ? 0 : kBreach;
}

int run(Options& o, const std::vector<std::string>& words) {
  if (auto complete_now = complete(o, words); !complete_now) return fail(complete_now.error());
  const auto checks = prepare_checks(o.output);
  if (!checks) return fail(checks.error());
  const auto document = launcher::run(o.request);
  if (!document) return fail(document.error());
  auto written = print(*document, o);
  if (written) written = save(*document, o.output);
  const int code = exit_code(*document, o, all_hold(*document, o.output, *checks));
  if (written) return code;
  const int ours = fail(written.error());
  return code != 0 ? code : ours;
}

}  // namespace

Command add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("run", "Run a CUDA program without a GPU and report what its memory access costs.");
  command->footer(
      "The program runs as it is: its output, its exit code and its signals are its\n"
      "own. Our report goes to standard error. A .cu file is compiled first, with its\n"
      "source lines. Options of ours stand before the program's name.\n"
      "\n"
      "exit codes: the program's own, 128 + n when signal n killed it; else 5 when a\n"
      "gate did not hold; 2 for a wrong command line, 3 for a program that cannot be\n"
      "run, 4 for a failure of lanescope itself");
  command->add_option("program", *words)->type_name("[arguments]");
  add_program_options(*command, *options);
  add_selection_options(*command, *options);
  add_output_options(*command, options->output);
  command->add_option("--log-file", options->log_file, "write the report there instead of to standard error")
      ->type_name("FILE")
      ->group("output");
  command->add_flag("--quiet", options->quiet, "print no report")->group("output");
  return {command, [options, words] { return run(*options, *words); }, words};
}

}  // namespace lanescope::cli
