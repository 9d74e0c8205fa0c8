#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "cli/commands.h"
#include "loader/fatbin.h"
#include "loader/module.h"
#include "sass/listing.h"

namespace lanescope::cli {
namespace {

struct Options {
  std::string file;
  std::string function;
  std::string arch;
  bool no_source = false;
  bool words = false;
};

Result<std::vector<loader::FatbinEntry>> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return input_error("{}: cannot be read", path);
  return loader::read_program(bytes, path);
}

Result<std::regex> pattern(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    return usage_error("--function {}: not a regular expression", text);
  }
}

int list(const Options& options) {
  const auto wanted = pattern(options.function);
  if (!wanted) return fail(wanted.error());
  const auto entries = read(options.file);
  if (!entries) return fail(entries.error());
  sass::ListingOptions listing{.source = !options.no_source, .words = options.words};
  listing.wanted = [&](const loader::Function& function) { return std::regex_search(function.demangled, *wanted); };
  bool any = false;
  for (const loader::FatbinEntry& entry : *entries) {
    if (entry.kind != loader::FatbinEntry::Kind::kCubin) continue;
    if (!options.arch.empty() && options.arch != fmt::format("sm_{}", entry.sm)) continue;
    const auto module = loader::load_cubin(entry.data, options.file);
    if (!module) return fail(module.error());
    const std::string text = sass::list(*module, listing);
    if (any && !text.empty()) fmt::print("\n");
    fmt::print("{}", text);
    any |= !text.empty();
  }
  if (!any)
    return fail({Fault::kInput,
                 fmt::format("{}: no function to list{}", options.file,
                             options.function.empty() && options.arch.empty() ? "" : " (see --function and --arch)")});
  return 0;
}

}  // namespace

Command add_disasm(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("disasm", "Print the machine code of a cubin or a program.");
  command->add_option("file", options->file, "a cubin, a fatbin, a program or a library")->required();
  command->add_option("--function", options->function, "only functions whose name matches")->type_name("REGEX");
  command->add_option("--arch", options->arch, "only this architecture: sm_90")->type_name("ARCH");
  command->add_flag("--no-source", options->no_source, "without source positions");
  command->add_flag("--words", options->words, "with the instructions' 128 bits");
  return {command, [options] { return list(*options); }, nullptr};
}

}  // namespace lanescope::cli
