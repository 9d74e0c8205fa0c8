// A spool: a folder where each process of a program leaves <pid>.jsonl while it runs. A line is one JSON object with
// one member: "report" (starts a report; a program started by exec appends another one to the file), "code", "counts",
// "launch", "note" or "problem". A line without an end of line, as a killed process may leave it, does not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/json.h"

namespace lanescope::report {

// Makes the lines of one process; each call returns whole lines, ends of line included. A forked child needs a writer
// of its own, as it writes a file of its own.
class LineWriter {
 public:
  std::string header(const Report& report);  // first; launches, notes and problems in `report` are not written
  std::string launch(const Launch& launch);  // up to three lines, to be written together
  static std::string note(std::string_view text);
  static std::string problem(std::string_view text);

 private:
  Numbering codes_, counts_;
};

// The reports of all files, in the order of process numbers and of lines. A file with lines that cannot be read gives a
// note in its report; an Error means that the folder itself could not be read.
Result<std::vector<Report>> read_spool(const std::string& folder);

}  // namespace lanescope::report
