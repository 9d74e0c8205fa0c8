// How help looks: 80 columns, our order. docs/cli.md is this text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanescope::cli {

class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace lanescope::cli
