// Streams and events. Work is done when its call returns, so a stream is a handle to check and an event a time stamp.
#pragma once

#include "runtime/state.h"

namespace lanescope::runtime {

// One of the default streams, or a live stream of the program. Takes Runtime::mutex.
bool valid_stream(Runtime& rt, cudaStream_t stream);

// cudaEventRecord.
cudaError_t record_event(cudaEvent_t event, cudaStream_t stream);

}  // namespace lanescope::runtime
