#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"

namespace lanescope::cli {
namespace {

int show(const std::string& file, const OutputOptions& options) {
  const auto checks = prepare_checks(options);
  if (!checks) return fail(checks.error());
  const auto document = load_document(file);
  if (!document) return fail(document.error());
  if (auto saved = save(*document, options); !saved) return fail(saved.error());
  if (options.csv.empty() && options.json.empty()) fmt::print("{}", terminal_view(*document, options, 1));
  return all_hold(*document, options, *checks) ? 0 : kBreach;
}

}  // namespace

Command add_report(CLI::App& app) {
  auto options = std::make_shared<OutputOptions>();
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("report", "Show a saved report again, export it or check it.");
  command->add_option("file.json", *file)->type_name("")->required();
  command->footer("With -o or --csv it writes those files and shows nothing.");
  add_output_options(*command, *options);
  return {command, [options, file] { return show(*file, *options); }, nullptr};
}

}  // namespace lanescope::cli
