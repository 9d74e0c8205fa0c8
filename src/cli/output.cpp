#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "launcher/files.h"
#include "report/csv.h"

namespace lanescope::cli {
namespace {

constexpr int kPipeWidth = 100, kNarrowest = 60;

report::Rules rules_of(const std::string& name, report::Rules otherwise) {
  if (name.empty()) return otherwise;
  return name == "ncu" ? report::Rules::kNcu : report::Rules::kHardware;
}

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_color(const std::string& when, int stream) {
  if (when != "auto") return when == "always";
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return stream > 0 && isatty(stream) && !set("NO_COLOR") && !dumb;
}

int width_of(int wanted, int stream) {
  if (wanted == 0 && set("COLUMNS")) wanted = std::atoi(std::getenv("COLUMNS"));
  winsize size{};
  if (wanted <= 0 && stream > 0 && isatty(stream) && ioctl(stream, TIOCGWINSZ, &size) == 0) wanted = size.ws_col;
  return wanted <= 0 ? kPipeWidth : std::max(wanted, kNarrowest);
}

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& o) {
  app.add_option("-o,--output", o.json, "save the whole report as JSON, which `lanescope report` shows again")
      ->type_name("FILE")
      ->group("output");
  app.add_option("--csv", o.csv, "save a table laid out as Nsight Compute's source page; - is standard output")
      ->type_name("FILE")
      ->group("output");
  app.add_flag("--sass", o.sass, "show each kernel's machine code with its figures")->group("output");
  app.add_option("--lines", o.lines, "source lines shown a kernel, the costliest first (8)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->group("output");
  app.add_flag("--all", o.all, "show every kernel and line, however many there are")->group("output");
  app.add_option("--rules", o.rules,
                 "hardware or ncu: count wavefronts as the hardware does (the report's rule) or as Nsight Compute's "
                 "source page does (the rule of --csv)")
      ->type_name("RULES")
      ->check(CLI::IsMember({"hardware", "ncu"}))
      ->group("output");
  app.add_option("--color", o.color, "auto, always or never; auto colours on a terminal, unless NO_COLOR is set")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("output");
  app.add_option("--width", o.width, "columns of the report: by default the terminal's, or $COLUMNS, or 100")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->group("output");
  app.add_option("--fail-on", o.gates,
                 "exit with 5 on this: conflicts=10%, sectors=2x, uncoalesced or unsupported; of some kernels only: "
                 "'transpose*:conflicts=5%'; may be repeated")
      ->type_name("GATE")
      ->expected(1)
      ->take_all()
      ->group("gates");
  auto* baseline =
      app.add_option("--baseline", o.baseline, "a saved report to compare with")->type_name("FILE")->group("gates");
  app.add_option("--fail-on-worse", o.tolerance,
                 "exit with 5 when a kernel costs over so much more than in the baseline, such as 1%")
      ->type_name("PERCENT")
      ->needs(baseline)
      ->group("gates");
}

void add_report_options(CLI::App& app, OutputOptions& o) {
  app.add_option("--log-file", o.log_file, "write the report there instead of to standard error")
      ->type_name("FILE")
      ->group("output");
  app.add_flag("--quiet", o.quiet, "print no report")->group("output");
}

Result<report::Document> load_document(const std::string& path) {
  const auto bytes = launcher::read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return report::read_document({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
}

Result<Checks> prepare_checks(const OutputOptions& options) {
  Checks checks;
  for (const std::string& text : options.gates) {
    auto gate = report::parse_gate(text);
    if (!gate) return tl::unexpected(gate.error());
    checks.gates.push_back(std::move(*gate));
  }
  if (!options.tolerance.empty()) {
    const auto tolerance = report::parse_percent(options.tolerance);
    if (!tolerance) return tl::unexpected(tolerance.error());
    checks.tolerance = *tolerance;
    auto baseline = load_document(options.baseline);
    if (!baseline) return tl::unexpected(baseline.error());
    checks.baseline = std::move(*baseline);
  }
  return checks;
}

std::string terminal_view(const report::Document& document, const OutputOptions& options, int stream) {
  report::TerminalOptions terminal;
  terminal.width = width_of(options.width, stream);
  terminal.color = wants_color(options.color, stream);
  terminal.sass = options.sass;
  terminal.rules = rules_of(options.rules, report::Rules::kHardware);
  terminal.lines = options.lines;
  if (options.all) terminal.lines = 1 << 30, terminal.kernels = SIZE_MAX;
  return report::to_terminal(document, terminal);
}

Result<void> save(const report::Document& document, const OutputOptions& options) {
  if (!options.json.empty()) {
    if (auto done = launcher::write_file(options.json, report::write_document(document)); !done) return done;
  }
  if (options.csv.empty()) return {};
  return launcher::write_file(options.csv, report::to_csv(document, rules_of(options.rules, report::Rules::kNcu)));
}

Result<void> write_report(const report::Document& document, const OutputOptions& options) {
  if (!options.log_file.empty()) {
    if (auto ok = launcher::write_file(options.log_file, terminal_view(document, options, -1)); !ok) return ok;
  } else if (!options.quiet) {
    fmt::print(stderr, "\n{}", terminal_view(document, options, 2));
  }
  return save(document, options);
}

bool all_hold(const report::Document& document, const OutputOptions& options, const Checks& checks) {
  const report::Rules rules = rules_of(options.rules, report::Rules::kHardware);
  std::vector<std::string> breaches = report::check(document, checks.gates, rules);
  if (checks.baseline) {
    for (std::string& line : report::compare(document, *checks.baseline, checks.tolerance, rules))
      breaches.push_back(std::move(line));
  }
  for (const std::string& line : breaches) fmt::print(stderr, "lanescope: gate: {}\n", line);
  return breaches.empty();
}

}  // namespace lanescope::cli
