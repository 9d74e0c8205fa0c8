// Fat binaries: the container that nvcc puts into a program's .nv_fatbin section.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace lanescope::loader {

struct FatbinEntry {
  enum class Kind : std::uint8_t { kPtx = 1, kCubin = 2 } kind = Kind::kCubin;
  std::uint32_t sm = 0;
  std::string identifier;          // the source's name, where the entry carries one
  std::uint32_t container = 0;     // which of a program's fatbins: PTX belongs to the cubins of its own
  std::vector<std::uint8_t> data;  // decompressed
};

// The size in bytes of the fatbin (header and entries) that starts at `bytes`; what follows may be anything.
Result<std::uint64_t> fatbin_size(Bytes bytes);

// Large libraries hold gigabytes of code for many architectures: an entry that this rejects is listed without its data.
using WantData = std::function<bool(const FatbinEntry&)>;

// All entries of one fatbin.
Result<std::vector<FatbinEntry>> read_fatbin(Bytes bytes, const std::string& origin, const WantData& want = nullptr);

// All fatbins of a host program, library or object file (its .nv_fatbin section) or static library, or of a bare
// .fatbin or .cubin file.
Result<std::vector<FatbinEntry>> read_program(Bytes file, const std::string& origin, const WantData& want = nullptr);

}  // namespace lanescope::loader
