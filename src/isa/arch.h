// What differs between the architectures, other than their instructions: limits of a multiprocessor (SM), where the
// driver puts a launch's data, and the figures of one chip that stands for each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope::isa {

// Byte offsets in constant bank 0 of what the driver writes at a launch; 0 where an architecture has it elsewhere.
// Read off code that nvcc 13.0 makes for a kernel that uses each.
struct ConstantLayout {
  std::uint32_t block_dim;     // three 32-bit numbers
  std::uint32_t grid_dim;      // three 32-bit numbers
  std::uint32_t stack_top;     // 32 bits: where a thread's stack pointer starts
  std::uint32_t local_window;  // 64 bits: generic address of local memory
  // %envreg1, then %envreg2 (32 bits each): high and low half of the address of a cooperative launch's workspace, as
  // cooperative_groups/details/driver_abi.h reads it.
  std::uint32_t grid_workspace;  // 0: not known
  std::uint32_t bank3_address;   // 64 bits: device address of the __constant__ variables
  std::uint32_t
      shared_window;  // 64 bits: generic address of shared memory; from sm_90 on SR_SWINHI gives its high half
  std::uint32_t global_descriptor;  // 64 bits: what LDG and STG take as their descriptor; not on sm_75
  std::uint32_t parameters;         // the default: a kernel's own .nv.info says where they start
};

// A product with this architecture: its makers' data sheet. Peak rates follow from these.
struct Chip {
  std::string_view name;
  std::uint32_t multiprocessors;
  std::uint32_t clock_mhz;         // boost
  double memory_bytes_per_second;  // peak of the data sheet
};

struct Arch {
  std::uint32_t sm;  // 90
  std::string_view family;
  Chip chip;
  ConstantLayout constants;

  // Of one SM.
  std::uint32_t max_warps;
  std::uint32_t max_blocks;
  std::uint32_t max_barriers;   // hardware barriers, that all resident blocks share; 0: never the limit
  std::uint32_t registers;      // 32-bit
  std::uint32_t register_unit;  // a warp's registers are allocated in multiples of this many
  std::uint32_t partitions;     // that share out the registers, each for its own warps
  std::uint32_t shared_bytes;   // the most that the L1 cache can give up
  std::span<const std::uint32_t> shared_carveouts;  // bytes, rising: what the driver can choose from

  // Of one block.
  std::uint32_t max_threads_per_block;
  std::uint32_t max_registers_per_block;
  std::uint32_t max_registers_per_thread;
  std::uint32_t max_shared_per_block;        // bytes, static and dynamic together, without asking
  std::uint32_t max_shared_per_block_optin;  // bytes, after cudaFuncAttributeMaxDynamicSharedMemorySize
  std::uint32_t shared_unit;                 // bytes: allocations are multiples
  std::uint32_t shared_reserved;             // bytes that the driver takes for itself in each block
  std::uint32_t shared_start;                // address of a kernel's first shared variable

  constexpr std::uint32_t max_threads() const { return max_warps * 32; }
};

// Supported architectures, rising.
std::span<const Arch> architectures();

// The entry of exactly this architecture, or null.
const Arch* find_arch(std::uint32_t sm);

}  // namespace lanescope::isa
