// cudaArray: kept as plain memory, so that programs can make and copy them; nothing samples them.
#pragma once

#include "runtime/state.h"

namespace lanescope::runtime {

// The live array of that handle, or null.
const Array* find_array(Runtime& rt, cudaArray_t array);

}  // namespace lanescope::runtime
