// Any bytes as a cubin: an error, or a module that is safe to use.
#include <cstdlib>

#include "loader/module.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto module = loader::load_cubin(Bytes(data, size), "input", {.globals = 1 << 24});
  if (!module) return 0;
  loader::place_globals(*module, 0x7f0000000000, 0x7f1000000000);
  for (const loader::Function& function : module->functions) {
    if (std::uint64_t{function.first} + function.count > module->code.size()) std::abort();
    if (!function.positions.empty() && function.positions.size() != function.count) std::abort();
    for (std::int32_t at : function.positions)
      while (at >= 0) at = module->positions.at(static_cast<std::size_t>(at)).inlined_at;
  }
  return 0;
}
