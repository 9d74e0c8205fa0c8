#include "engine/variables.h"

#include <cstring>

namespace lanescope::engine {
namespace {

Result<std::uint64_t> place(DeviceMemory& memory, std::size_t bytes, AllocationKind kind) {
  if (bytes == 0) return 0;
  return memory.allocate(bytes, kind);
}

void write(DeviceMemory& memory, std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  if (!bytes.empty()) std::memcpy(memory.view(address, bytes.size()), bytes.data(), bytes.size());
}

}  // namespace

Result<PlacedVariables> place_variables(loader::Module& module, DeviceMemory& memory, AllocationKind globals) {
  PlacedVariables placed;
  const auto image = place(memory, module.globals.size(), globals);
  if (!image) return tl::unexpected(image.error());
  const auto bank = place(memory, module.bank3.size(), AllocationKind::kDevice);
  if (!bank) {
    if (*image != 0) memory.release(*image);
    return tl::unexpected(bank.error());
  }
  placed = {*image, *bank};
  loader::place_globals(module, placed.globals, placed.constants);
  write(memory, placed.globals, module.globals);
  write(memory, placed.constants, module.bank3);
  return placed;
}

}  // namespace lanescope::engine
