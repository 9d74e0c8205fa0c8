#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "kernel_launch/code.h"
#include "kernel_launch/job.h"
#include "kernel_launch/run.h"
#include "launcher/files.h"
#include "report/sources.h"

namespace lanescope::cli {
namespace {

struct Options {
  std::vector<std::string> words;  // the file, then the arguments
  bool list = false;
  std::string kernel, grid, block, cluster, shared;
  bool cooperative = false;
  std::vector<std::string> set, print, save, compare;
  ProgramOptions program;
  OutputOptions output;
};

using kernel_launch::Job;

void add_launch_options(CLI::App& app, Options& o) {
  const auto option = [&](const char* name, std::string& to, const char* text, const char* type) {
    app.add_option(name, to, text)->type_name(type)->group("launch");
  };
  option("--kernel", o.kernel, "its name, with or without parameters; needed when the file has several", "NAME");
  option("--grid", o.grid, "blocks: 4, 4,2 or 'n/256,n'", "X,Y,Z");
  option("--block", o.block, "threads a block", "X,Y,Z");
  option("--cluster", o.cluster, "blocks a cluster", "X,Y,Z");
  option("--shared", o.shared, "bytes of dynamic shared memory a block, such as 48K", "N");
  app.add_flag("--cooperative", o.cooperative, "blocks run together and can wait for each other")->group("launch");
  app.add_flag("--list", o.list, "show the file's kernels with their parameters, and run nothing")->group("launch");
  const auto several = [&](const char* name, std::vector<std::string>& to, const char* text, const char* type) {
    app.add_option(name, to, text)->type_name(type)->expected(1)->take_all()->group("data");
  };
  several("--set", o.set, "a name for sizes, grids and arguments: n=1024", "NAME=N");
  several("--print", o.print, "print a buffer afterwards, as it is, as another type or as hex; COUNT may be all",
          "NAME[:TYPE[:COUNT]]");
  several("--save", o.save, "write a buffer's bytes to a file", "NAME=FILE");
  several("--compare", o.compare,
          "compare a buffer with a file, bit for bit or with tolerances: C=ref.bin,rel=1e-5,abs=1e-6", "NAME=FILE");
}

// A text of the command line by its parser; the Error names the option.
template <class T>
Result<void> read(const char* option, const std::string& text, Result<T> (*parser)(std::string_view), T& to) {
  auto value = parser(text);
  if (!value) return usage_error("{} {}: {}", option, text, value.error().message);
  to = std::move(*value);
  return {};
}

template <class T>
Result<void> read_all(const char* option, const std::vector<std::string>& texts, Result<T> (*parser)(std::string_view),
                      std::vector<T>& to) {
  for (const std::string& text : texts)
    if (auto ok = read(option, text, parser, to.emplace_back()); !ok) return ok;
  return {};
}

Result<void> read_shape(const Options& o, kernel_launch::Shape& shape) {
  const struct {
    const char* option;
    const std::string& text;
    std::vector<std::string>& to;
  } dimensions[] = {
      {"--grid", o.grid, shape.grid}, {"--block", o.block, shape.block}, {"--cluster", o.cluster, shape.cluster}};
  for (const auto& each : dimensions) {
    if (each.text.empty()) continue;
    if (auto ok = read(each.option, each.text, kernel_launch::parse_dimensions, each.to); !ok) return ok;
  }
  shape.shared = o.shared;
  shape.cooperative = o.cooperative;
  return {};
}

Result<Job> job_of_words(const Options& o) {
  Job job;
  job.file = o.words.front();
  kernel_launch::Launch& launch = job.launches.emplace_back();
  launch.kernel = o.kernel;
  if (auto ok = read_shape(o, launch.shape); !ok) return tl::unexpected(ok.error());
  for (std::size_t i = 1; i < o.words.size(); ++i) {
    auto argument = kernel_launch::parse_argument(o.words[i]);
    if (!argument) return usage_error("argument {} '{}': {}", i - 1, o.words[i], argument.error().message);
    launch.arguments.push_back(std::move(*argument));
  }
  return job;
}

Result<Job> job_of_file(const Options& o) {
  const std::string& path = o.words.front();
  const bool has_launch = !o.kernel.empty() || !o.grid.empty() || !o.block.empty() || !o.cluster.empty() ||
                          !o.shared.empty() || o.cooperative || o.words.size() > 1;
  if (has_launch)
    return usage_error(
        "{} says what is launched: kernel, grid, block and arguments stand there (--set changes numbers)", path);
  const auto text = launcher::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return kernel_launch::read_launch_file({reinterpret_cast<const char*>(text->data()), text->size()}, path);
}

// The command line's value for a name takes the place of the file's, so that what follows from it changes too.
void set_number(Job& job, std::pair<std::string, std::string> number) {
  const auto present =
      std::find_if(job.set.begin(), job.set.end(), [&](const auto& set) { return set.first == number.first; });
  if (present == job.set.end())
    job.set.push_back(std::move(number));
  else
    present->second = std::move(number.second);
}

Result<Job> read_job(const Options& o) {
  auto job = kernel_launch::is_launch_file(o.words.front()) ? job_of_file(o) : job_of_words(o);
  if (!job) return job;
  std::vector<std::pair<std::string, std::string>> numbers;
  if (auto ok = read_all("--set", o.set, kernel_launch::parse_set, numbers); !ok) return tl::unexpected(ok.error());
  for (auto& number : numbers) set_number(*job, std::move(number));
  auto& outputs = job->outputs;
  const auto print = read_all("--print", o.print, kernel_launch::parse_print, outputs.print);
  const auto saved = read_all("--save", o.save, kernel_launch::parse_save, outputs.save);
  const auto compared = read_all("--compare", o.compare, kernel_launch::parse_compare, outputs.compare);
  for (const auto* ok : {&print, &saved, &compared})
    if (!*ok) return tl::unexpected((*ok).error());
  if (!o.program.arch.empty()) job->arch = o.program.arch;
  const auto flags = split_flags(o.program.nvcc_flags);
  job->nvcc_flags.insert(job->nvcc_flags.end(), flags.begin(), flags.end());
  return job;
}

// What does not fit in a launch file is wrong input; on the command line it is wrong usage.
Error placed(const Options& o, Error error) {
  if (!kernel_launch::is_launch_file(o.words.front()) || error.fault != Fault::kUsage) return error;
  return {Fault::kInput, fmt::format("{}: {}", o.words.front(), error.message)};
}

report::Document document_of(const Job& job, kernel_launch::Outcome& outcome, std::vector<std::string> notes) {
  report::Document document;
  document.program = job.file;
  report::Report& report = document.processes.emplace_back(std::move(outcome.report));
  report.tool_version = LANESCOPE_VERSION;
  report.program = job.file;
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  document.sources = report::read_sources(document.processes);
  return document;
}

int list(const Options& o) {
  kernel_launch::CodeRequest request{o.words.front(), o.program.arch, split_flags(o.program.nvcc_flags)};
  const auto code = kernel_launch::read_code(request);
  if (!code) return fail(code.error());
  const auto text = kernel_launch::list_kernels(*code, request);
  if (!text) return fail(text.error());
  fmt::print("{}", *text);
  return 0;
}

int run(const Options& o, const Job& job, const Checks& checks) {
  const kernel_launch::CodeRequest request{job.file, job.arch, job.nvcc_flags};
  auto code = kernel_launch::read_code(request);
  if (!code) return fail(code.error());
  auto module = kernel_launch::load_module(*code, request);
  if (!module) return fail(placed(o, module.error()));
  auto outcome = kernel_launch::run(
      job, std::move(*module), {o.program.threads, o.program.deterministic, o.program.max_instructions.value_or(0)});
  if (!outcome) return fail(placed(o, outcome.error()));
  fmt::print("{}", outcome->printed);
  std::fflush(stdout);
  const report::Document document = document_of(job, *outcome, std::move(code->notes));
  const auto written = write_report(document, o.output);
  for (const std::string& mismatch : outcome->mismatches) fmt::print(stderr, "lanescope: compare: {}\n", mismatch);
  const bool hold = all_hold(document, o.output, checks) && outcome->mismatches.empty();
  if (!written) return fail(written.error());
  if (!outcome->stopped.empty()) return fail({Fault::kInput, outcome->stopped});
  return hold ? 0 : kBreach;
}

int launch(const Options& o) {
  if (o.words.empty())
    return fail({Fault::kUsage, "launch: which file? lanescope launch [options] kernel.cubin [arguments]"});
  if (o.list) return list(o);
  const auto job = read_job(o);
  if (!job) return fail(job.error());
  const auto checks = prepare_checks(o.output);
  return checks ? run(o, *job, *checks) : fail(checks.error());
}

}  // namespace

Command add_launch(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("launch", "Run one kernel of a file without a host program, and report on it.");
  command->footer(
      "The file is a cubin, a fatbin, a program, a .ptx or .cu file, or a launch file\n"
      "(.toml or .json), which can hold several launches. Arguments, in the order of\n"
      "the kernel's parameters (docs/launch.md has them all):\n"
      "  5, i32=5, f32=1.5, n=1024           a number, with its type or a name\n"
      "  ptr:f32[1024]=zeros                 a buffer; A=ptr:f32[n]=count names it A\n"
      "  ... =random:7:-1:1, =file:in.bin    or random(7,-1,1), file(in.bin), in quotes\n"
      "  A, null, {i32=5, f32=1}, bytes=0a00 a buffer's address, structures\n"
      "\n"
      "exit codes: 0; 5 when a gate did not hold or a comparison failed; 2 for a wrong\n"
      "command line, 3 for a file that cannot be used and for a kernel that was stopped\n"
      "by a fault, 4 for a failure of lanescope itself");
  command->add_option("file", options->words)->type_name("[arguments]");
  add_launch_options(*command, *options);
  add_program_options(*command, options->program);
  add_output_options(*command, options->output);
  add_report_options(*command, options->output);
  return {command, [options] { return launch(*options); }, nullptr};
}

}  // namespace lanescope::cli
