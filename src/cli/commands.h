// The subcommands. Each adds itself to the command line and, when it was chosen, is run by its action.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::cli {

inline constexpr int kBreach = 5;  // a gate did not hold

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> action;  // the exit code
  // Where a command line of the user's follows our options, it ends up here; null: none follows.
  std::shared_ptr<std::vector<std::string>> words;
};

Command add_run(CLI::App& app);
Command add_launch(CLI::App& app);
Command add_build(CLI::App& app);
Command add_report(CLI::App& app);
Command add_disasm(CLI::App& app);

// Prints "lanescope: message" to standard error; the exit code that goes with it.
int fail(const Error& error);

}  // namespace lanescope::cli
