// Any bytes as PTX.
#include <cstdlib>

#include "loader/ptx.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const loader::PtxFile file = loader::read_ptx({reinterpret_cast<const char*>(data), size});
  for (const loader::PtxFunction& function : file.functions) {
    loader::Function kernel{.name = std::string(function.name)};
    for (const std::uint32_t bytes : {0u, 16u, 1024u, 1088u}) {
      kernel.static_shared = bytes;
      for (const loader::SharedArray& array : loader::lay_out_shared(file, kernel))
        if (array.offset + array.size > bytes) std::abort();
    }
  }
  return 0;
}
