#include "isa/arch.h"

#include <algorithm>

// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (limits); cuda_occupancy.h of CUDA 13.0 (units,
// carve-outs, barriers); NVIDIA's data sheets (chips).
namespace lanescope::isa {
namespace {

constexpr std::uint32_t kKiB = 1024;

constexpr std::uint32_t kCarveouts75[] = {32 * kKiB, 64 * kKiB};
constexpr std::uint32_t kCarveouts80[] = {0,         8 * kKiB,   16 * kKiB,  32 * kKiB,
                                          64 * kKiB, 100 * kKiB, 132 * kKiB, 164 * kKiB};
constexpr std::uint32_t kCarveouts86[] = {0, 8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 100 * kKiB};
constexpr std::uint32_t kCarveouts90[] = {0,          8 * kKiB,   16 * kKiB,  32 * kKiB,  64 * kKiB,
                                          100 * kKiB, 132 * kKiB, 164 * kKiB, 196 * kKiB, 228 * kKiB};

constexpr ConstantLayout kConstants75 = {.block_dim = 0x0,
                                         .grid_dim = 0xc,
                                         .stack_top = 0x28,
                                         .local_window = 0x20,
                                         .grid_workspace = 0x8c,
                                         .bank3_address = 0x50,
                                         .shared_window = 0x18,
                                         .global_descriptor = 0,
                                         .parameters = 0x160};
constexpr ConstantLayout kConstants80 = {.block_dim = 0x0,
                                         .grid_dim = 0xc,
                                         .stack_top = 0x28,
                                         .local_window = 0x20,
                                         .grid_workspace = 0x8c,
                                         .bank3_address = 0x50,
                                         .shared_window = 0x18,
                                         .global_descriptor = 0x118,
                                         .parameters = 0x160};
constexpr ConstantLayout kConstants90 = {.block_dim = 0x0,
                                         .grid_dim = 0xc,
                                         .stack_top = 0x28,
                                         .local_window = 0x20,
                                         .grid_workspace = 0x44,
                                         .bank3_address = 0xd0,
                                         .shared_window = 0,
                                         .global_descriptor = 0x208,
                                         .parameters = 0x210};
constexpr ConstantLayout kConstants100 = {.block_dim = 0x360,
                                          .grid_dim = 0x370,
                                          .stack_top = 0x37c,
                                          .local_window = 0x2f8,
                                          .grid_workspace = 0,
                                          .bank3_address = 0x120,
                                          .shared_window = 0,
                                          .global_descriptor = 0x358,
                                          .parameters = 0x380};

// What all have in common.
constexpr Arch arch(std::uint32_t sm, std::string_view family, Chip chip, const ConstantLayout& constants) {
  return {.sm = sm,
          .family = family,
          .chip = chip,
          .constants = constants,
          .registers = 65536,
          .register_unit = 256,
          .partitions = 4,
          .max_threads_per_block = 1024,
          .max_registers_per_block = 65536,
          .max_registers_per_thread = 255,
          .max_shared_per_block = 48 * kKiB,
          .shared_unit = 128,
          .shared_reserved = 1 * kKiB,
          .shared_start = sm >= 90 ? 0x400u : 0u};
}

constexpr Arch with(Arch a, std::uint32_t warps, std::uint32_t blocks, std::uint32_t barriers,
                    std::span<const std::uint32_t> carveouts) {
  a.max_warps = warps;
  a.max_blocks = blocks;
  a.max_barriers = barriers;
  a.shared_carveouts = carveouts;
  a.shared_bytes = carveouts.back();
  a.max_shared_per_block_optin = a.shared_bytes - a.shared_reserved;
  return a;
}

constexpr Arch turing() {
  Arch a = arch(75, "Turing", {"T4", 40, 1590, 320e9}, kConstants75);
  a.shared_unit = 256;
  a.shared_reserved = 0;
  return with(a, 32, 16, 0, kCarveouts75);
}

// B300: SMs and clock as B200's.
constexpr Arch kArchitectures[] = {
    turing(),
    with(arch(80, "Ampere", {"A100", 108, 1410, 2039e9}, kConstants80), 64, 32, 0, kCarveouts80),
    with(arch(86, "Ampere", {"RTX 3090", 82, 1695, 936e9}, kConstants80), 48, 16, 0, kCarveouts86),
    with(arch(87, "Ampere", {"Jetson AGX Orin", 16, 1300, 204.8e9}, kConstants80), 48, 16, 0, kCarveouts80),
    with(arch(89, "Ada", {"RTX 4090", 128, 2520, 1008e9}, kConstants80), 48, 24, 0, kCarveouts86),
    with(arch(90, "Hopper", {"H200", 132, 1980, 4800e9}, kConstants90), 64, 32, 64, kCarveouts90),
    with(arch(100, "Blackwell", {"B200", 148, 1965, 8000e9}, kConstants100), 64, 32, 64, kCarveouts90),
    with(arch(103, "Blackwell", {"B300", 148, 1965, 8000e9}, kConstants100), 64, 32, 64, kCarveouts90),
    with(arch(120, "Blackwell", {"RTX 5090", 170, 2407, 1792e9}, kConstants100), 48, 24, 24, kCarveouts86),
};

}  // namespace

std::span<const Arch> architectures() { return kArchitectures; }

const Arch* find_arch(std::uint32_t sm) {
  const Arch* end = std::end(kArchitectures);
  const Arch* found = std::find_if(kArchitectures, end, [&](const Arch& a) { return a.sm == sm; });
  return found == end ? nullptr : found;
}

}  // namespace lanescope::isa
