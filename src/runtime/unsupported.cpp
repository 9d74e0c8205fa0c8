// The entry points of one version of CUDA that are not there: each exists as a symbol, so that programs start.
// LANESCOPE_CUDART is 12 or 13.
#include "runtime/call.h"

// The arguments do not matter, and in the C calling convention they need not be taken.
#define LANESCOPE_STUB(name) \
  LANESCOPE_API cudaError_t name() { return unsupported(#name); }

namespace lanescope::runtime {

#define LANESCOPE_IMPLEMENTED(name)
#define LANESCOPE_UNSUPPORTED(name) LANESCOPE_STUB(name)
#if LANESCOPE_CUDART == 12
#define LANESCOPE_IMPLEMENTED_12(name)
#define LANESCOPE_UNSUPPORTED_12(name) LANESCOPE_STUB(name)
#define LANESCOPE_IMPLEMENTED_13(name)
#define LANESCOPE_UNSUPPORTED_13(name)
#else
#define LANESCOPE_IMPLEMENTED_12(name)
#define LANESCOPE_UNSUPPORTED_12(name)
#define LANESCOPE_IMPLEMENTED_13(name)
#define LANESCOPE_UNSUPPORTED_13(name) LANESCOPE_STUB(name)
#endif
#include "runtime/entry_points.inc"

}  // namespace lanescope::runtime
