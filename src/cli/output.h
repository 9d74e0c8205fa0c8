// What `run`, `launch` and `report` print, save and check: their common options, and carrying them out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/gates.h"
#include "report/json.h"
#include "report/terminal.h"

namespace lanescope::cli {

struct OutputOptions {
  std::string json, csv;  // files; empty: none
  std::string rules;      // "hardware" or "ncu"; empty: hardware's in the report, Nsight Compute's in the CSV
  std::string color = "auto";
  bool sass = false, all = false;
  int lines = 8;
  int width = 0;  // 0: the terminal's
  std::vector<std::string> gates;
  std::string baseline, tolerance;
  std::string log_file;  // where the report goes instead of to standard error
  bool quiet = false;    // no report
};

void add_output_options(CLI::App& app, OutputOptions& options);
// Of commands that run something: --log-file, --quiet.
void add_report_options(CLI::App& app, OutputOptions& options);

// Checked before a long run starts.
struct Checks {
  std::vector<report::Gate> gates;
  std::optional<report::Document> baseline;
  double tolerance = 0;
};
Result<Checks> prepare_checks(const OutputOptions& options);

// Reads a saved report.
Result<report::Document> load_document(const std::string& path);

// The terminal view for a stream: 1 standard output, 2 standard error, -1 a file.
std::string terminal_view(const report::Document& document, const OutputOptions& options, int stream);

// Writes the JSON and CSV files that were asked for.
Result<void> save(const report::Document& document, const OutputOptions& options);

// After a run: the report to standard error or the log file, then what `save` writes.
Result<void> write_report(const report::Document& document, const OutputOptions& options);

// Prints a line for each gate that did not hold; true when all held.
bool all_hold(const report::Document& document, const OutputOptions& options, const Checks& checks);

}  // namespace lanescope::cli
