// Any bytes as a symbol's name.
#include "loader/module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)lanescope::loader::demangle("_Z" + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
