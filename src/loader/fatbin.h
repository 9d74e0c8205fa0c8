// Fat binaries: the container that nvcc puts into a program's .nv_fatbin section.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace lanescope::loader {

struct FatbinEntry {
  enum class Kind : std::uint8_t { kPtx = 1, kCubin = 2 } kind = Kind::kCubin;
  std::uint32_t sm = 0;
  std::string identifier;          // the source's name, where the entry carries one
  std::vector<std::uint8_t> data;  // decompressed
};

// The size in bytes of the fatbin (header and entries) that starts at `bytes`; what follows may be anything.
Result<std::uint64_t> fatbin_size(Bytes bytes);

// All entries of one fatbin.
Result<std::vector<FatbinEntry>> read_fatbin(Bytes bytes, const std::string& origin);

// All fatbins of a host program or library (its .nv_fatbin section), or of a bare .fatbin / .cubin file.
Result<std::vector<FatbinEntry>> read_program(Bytes file, const std::string& origin);

}  // namespace lanescope::loader
