// Any bytes as a program, library, object, fat binary or cubin.
#include "loader/fatbin.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)loader::read_program(Bytes(data, size), "input");
  (void)loader::read_fatbin(Bytes(data, size), "input");
  return 0;
}
