// The report as Nsight Compute's source page exports it (--page source --csv --print-source sass); docs/csv.md.
#pragma once

#include <string>

#include "report/json.h"
#include "report/rollup.h"

namespace lanescope::report {

// What a memory instruction's text says of it; empty strings for other instructions.
struct AccessText {
  std::string space;      // "Global", "Shared", "Local", or "Global,Shared" for a generic address
  std::string operation;  // "Load", "Store", "Atomic", "Reduction"
  int bits = 0;           // a thread
};
AccessText access_of(std::string_view instruction);

// For each launch, in the order of the document: its name, a header, a row an instruction.
std::string to_csv(const Document& document, Rules rules);

}  // namespace lanescope::report
