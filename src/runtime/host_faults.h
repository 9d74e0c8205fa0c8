// Host code that touches device memory faults, as it does with a GPU. This says so before the program dies.
#pragma once

namespace lanescope::runtime {

// Explains a SIGSEGV on a device address on standard error, then lets the default action follow. Does nothing when the
// program has a handler of its own.
void explain_host_faults();

}  // namespace lanescope::runtime
