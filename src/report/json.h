// The report as JSON: a saved document, and the pieces that a spool's lines are made of. docs/json.md describes every
// field with its unit.
//
// What launches share is written once a process and referred to by number: the code of a kernel (texts, source
// positions) and the counts of a launch, which most repeated launches have in common. Columns that hold zeros only are
// left out.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace lanescope::report {

inline constexpr std::string_view kSchemaName = "lanescope.report";

using Json = nlohmann::ordered_json;

// The lines of source files that a report mentions: file, line (1-based), text.
using Sources = std::map<std::string, std::map<std::uint32_t, std::string>>;

// A saved report: every process of one run.
struct Document {
  std::string program;  // command line
  int exit_code = 0;    // the program's own; 128 + n when signal n killed it
  std::vector<Report> processes;
  Sources sources;
};

// Gives each distinct record a number, in order of appearance.
class Numbering {
 public:
  struct Number {
    std::size_t value;
    bool is_new;
  };
  Number of(const Json& record);

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

// A launch in three parts: what it is, its code and its counts. Launch::rows_of is not part of any.
Json launch_header(const Launch& launch);
Json launch_code(const std::vector<InstructionRow>& rows);
Json launch_counts(const std::vector<InstructionRow>& rows);

// The way back. All of these throw a json::exception or a std::runtime_error on input that is not what they expect;
// read_document and read_spool turn those into values.
Launch read_launch_header(const Json& header);
std::vector<InstructionRow> read_rows(const Json& code, const Json& counts);
Json report_header(const Report& report);
Report read_report_header(const Json& header);

// The text that is not valid UTF-8 is written with replacement characters.
std::string dump(const Json& json, int indent = -1);

std::string write_document(const Document& document);
Result<Document> read_document(std::string_view text, const std::string& origin);

}  // namespace lanescope::report
