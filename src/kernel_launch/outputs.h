// What is done with buffers after the last launch: printed, saved, compared. Pure but for the files.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernel_launch/bind.h"

namespace lanescope::kernel_launch {

// The buffer's elements in columns, or a dump of its bytes.
Result<std::string> print(const Print& wish, const PlannedBuffer& buffer, Bytes bytes);

// How `bytes` differ from `expected`, as one sentence; nothing when they agree.
Result<std::optional<std::string>> compare(const Compare& wish, const PlannedBuffer& buffer, Bytes bytes,
                                           Bytes expected);

}  // namespace lanescope::kernel_launch
