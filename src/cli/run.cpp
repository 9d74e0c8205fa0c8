#include <fmt/format.h>
#include <regex>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "launcher/program.h"
#include "launcher/run.h"

namespace lanescope::cli {
namespace {

struct Options {
  launcher::RunRequest request;
  ProgramOptions program;
  int error_exitcode = 0;
  OutputOptions output;
};

void add_own_options(CLI::App& app, Options& o) {
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

Result<void> complete(Options& o, const std::vector<std::string>& words) {
  if (words.empty()) return usage_error("run: which program? lanescope run [options] program [arguments]");
  o.request.command = words;
  o.request.nvcc_flags = split_flags(o.program.nvcc_flags);
  o.request.threads = o.program.threads;
  o.request.deterministic = o.program.deterministic;
  o.request.max_instructions = o.program.max_instructions;
  try {
    std::regex(o.request.kernel, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    return usage_error("--kernel '{}' is not a regular expression", o.request.kernel);
  }
  if (o.program.arch.empty()) return {};
  const auto sm = launcher::parse_architecture(o.program.arch);
  if (!sm) return tl::unexpected(sm.error());
  o.request.sm = *sm;
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
  const auto written = write_report(*document, o.output);
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
  add_program_options(*command, options->program);
  add_own_options(*command, *options);
  add_selection_options(*command, *options);
  add_output_options(*command, options->output);
  add_report_options(*command, options->output);
  return {command, [options, words] { return run(*options, *words); }, words};
}

}  // namespace lanescope::cli
