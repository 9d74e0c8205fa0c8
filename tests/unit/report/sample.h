// A small report for the tests of what reads and prints reports.
#pragma once

#include "report/json.h"

namespace lanescope::report::sample {

Launch transpose();              // one row of each kind; 32-way conflicts on line 47
Launch scale(std::uint64_t id);  // nothing to mend
Report process();
Document document();

}  // namespace lanescope::report::sample
