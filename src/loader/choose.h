// Which image of a program a chip runs.
#pragma once

#include <span>

#include "loader/fatbin.h"

namespace lanescope::loader {

// The entry to run on a chip of `sm`: that architecture's machine code, or the newest older one of its family. Null
// when there is none.
const FatbinEntry* choose_entry(std::span<const FatbinEntry> entries, std::uint32_t sm);

// The PTX that a chip of `sm` could be given machine code from: the newest that is not newer than it. Null without any.
const FatbinEntry* choose_ptx(std::span<const FatbinEntry> entries, std::uint32_t sm);

// "sm_80, compute_90", for messages; "nothing" of none.
std::string list_architectures(std::span<const FatbinEntry> entries);

}  // namespace lanescope::loader
