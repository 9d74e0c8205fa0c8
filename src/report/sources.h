// The source lines that a report speaks of, read from the files where they are.
#pragma once

#include <vector>

#include "report/json.h"

namespace lanescope::report {

// Files that cannot be read are left out.
Sources read_sources(const std::vector<Report>& reports);

}  // namespace lanescope::report
