#include "cli/help.h"

#include <fmt/format.h>

#include "report/text.h"

namespace lanescope::cli {
namespace {

constexpr std::size_t kWidth = 80, kTextColumn = 26;

// One entry: its name, and its text wrapped beside it, or below where the name is long.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  const bool below = line.size() + 2 > kTextColumn;
  line += below ? "\n" + std::string(kTextColumn, ' ') : std::string(kTextColumn - line.size(), ' ');
  const std::string wrapped = report::wrapped(std::string(kTextColumn, ' ') + text, kWidth, kTextColumn);
  return line + wrapped.substr(kTextColumn) + "\n";
}

// "-o, --output FILE".
std::string option_name(const CLI::Option* option) {
  std::string name = option->get_name(false, true);
  if (const std::size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  if (option->get_items_expected_max() == 0) return name;
  const std::string type = option->get_type_name();
  return name + " " + type.substr(0, type.find(':'));  // behind the colon: what its values are checked against
}

std::string option_text(const CLI::Option* option) {
  const std::string value = option->get_default_str();
  return option->get_description() + (value.empty() ? "" : fmt::format(" ({})", value));
}

std::vector<const CLI::Option*> options_of(const CLI::App* app, const std::string& group) {
  return app->get_options(
      [&](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
}

std::string usage(const CLI::App* app, const std::string& name) {
  std::string line = "usage: " + (name.empty() ? app->get_name() : name + " " + app->get_name()) + " [options]";
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); }))
    line += " " + option->get_name(true) + (option->get_type_name().empty() ? "" : " " + option->get_type_name());
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) line += " command ...";
  return line + "\n";
}

std::string commands(const CLI::App* app) {
  std::string text;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; }))
    text += entry(command->get_name(), command->get_description());
  return text.empty() ? text : "\ncommands:\n" + text;
}

std::string group(const CLI::App* app, const std::string& name, const std::string& heading) {
  std::string text;
  for (const CLI::Option* option : options_of(app, name)) text += entry(option_name(option), option_text(option));
  return text.empty() ? text : "\n" + heading + ":\n" + text;
}

}  // namespace

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  const CLI::App* parent = app->get_parent();
  const bool is_command = parent != nullptr;
  std::string text = usage(app, is_command ? parent->get_name() : std::string()) + "\n" + app->get_description() + "\n";
  static_cast<void>(name);
  text += commands(app);
  for (const std::string& each : app->get_groups()) {
    if (each != "Options") text += group(app, each, each);
  }
  text += group(app, "Options", is_command ? "other" : "options");
  if (!app->get_footer().empty()) text += "\n" + app->get_footer() + "\n";
  return text;
}

}  // namespace lanescope::cli
