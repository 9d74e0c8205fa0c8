#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/commands.h"
#include "cli/help.h"

namespace lanescope::cli {
namespace {

// Our options end where the user's command line begins: at "--", or at the first word that is neither an option nor an
// option's value. The rest is taken off `arguments`.
std::vector<std::string> take_words(CLI::App& app, std::vector<std::string>& arguments) {
  std::size_t at = 0;
  for (; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "--" || !word.starts_with('-') || word == "-") break;
    if (word.find('=') != std::string::npos) continue;
    const CLI::Option* option = app.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_min() > 0) ++at;
  }
  at = std::min(at, arguments.size());
  std::vector<std::string> words(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  arguments.resize(at);
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  return words;
}

int parse_error(const CLI::App& app, const CLI::ParseError& error, const CLI::App* command) {
  if (error.get_exit_code() == 0) return app.exit(error);  // help and version
  fmt::print(stderr, "lanescope: {}\nlanescope{} --help shows what there is.\n", error.what(),
             command == nullptr ? "" : " " + command->get_name());
  return static_cast<int>(Fault::kUsage);
}

int main(std::vector<std::string> arguments) {
  CLI::App app("Runs compiled CUDA programs without a GPU and counts what their memory access costs.", "lanescope");
  app.formatter(std::make_shared<Help>());
  app.set_help_flag("-h,--help", "show this");
  app.set_version_flag("--version", "lanescope " LANESCOPE_VERSION)->description("show the version");
  if (arguments.empty()) arguments.emplace_back("--help");
  const std::vector<Command> commands = {add_run(app), add_launch(app), add_report(app), add_build(app),
                                         add_disasm(app)};
  const auto chosen = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return !arguments.empty() && command.app->get_name() == arguments.front();
  });
  const bool any = chosen != commands.end();
  if (!any && !arguments.empty() && !arguments.front().starts_with('-'))
    return fail({Fault::kUsage, fmt::format("there is no command '{}'; lanescope --help shows those that there are",
                                            arguments.front())});
  if (any && chosen->words) {
    std::vector<std::string> own(arguments.begin() + 1, arguments.end());
    *chosen->words = take_words(*chosen->app, own);
    arguments.resize(1);
    arguments.insert(arguments.end(), own.begin(), own.end());
  }
  const auto words = any && chosen->words ? *chosen->words : std::vector<std::string>();
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return parse_error(app, error, any ? chosen->app : nullptr);
  }
  if (!any) return fail({Fault::kUsage, "which command? lanescope --help shows those that there are"});
  if (chosen->words) *chosen->words = words;  // parsing clears what it believes to be a positional's value
  return chosen->action();
}

}  // namespace

int fail(const Error& error) {
  fmt::print(stderr, "lanescope: {}\n", error.message);
  return static_cast<int>(error.fault);
}

}  // namespace lanescope::cli

int main(int count, char** arguments) {
  try {
    return lanescope::cli::main({arguments + std::min(count, 1), arguments + count});
  } catch (const std::exception& failure) {
    return lanescope::cli::fail({lanescope::Fault::kInternal, failure.what()});
  }
}
