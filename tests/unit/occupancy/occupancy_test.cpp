#include "tune/occupancy.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#ifdef LANESCOPE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

namespace lanescope::tune {
namespace {

TEST(Arch, EachIsFoundByItsNumberAndNoOther) {
  std::uint32_t last = 0;
  for (const isa::Arch& arch : isa::architectures()) {
    EXPECT_LT(last, arch.sm);
    last = arch.sm;
    EXPECT_EQ(isa::find_arch(arch.sm), &arch);
    EXPECT_EQ(isa::find_arch(arch.sm + 1000), nullptr);
  }
  EXPECT_EQ(isa::find_arch(70), nullptr);
}

TEST(Occupancy, NamesTheLowestLimit) {
  const isa::Arch& hopper = *isa::find_arch(90);
  EXPECT_EQ(occupancy(hopper, {.threads = 256, .registers = 32}).limiter, "warps");
  EXPECT_EQ(occupancy(hopper, {.threads = 256, .registers = 64}).limiter, "registers");
  EXPECT_EQ(occupancy(hopper, {.threads = 256, .registers = 32, .static_shared = 40000}).limiter, "shared memory");
  EXPECT_EQ(occupancy(hopper, {.threads = 32, .registers = 32}).limiter, "blocks");
  EXPECT_EQ(occupancy(hopper, {.threads = 64, .registers = 32, .barriers = 16}).limiter, "barriers");
}

TEST(Occupancy, IsZeroForWhatCannotBeLaunched) {
  const isa::Arch& hopper = *isa::find_arch(90);
  EXPECT_EQ(occupancy(hopper, {.threads = 1025, .registers = 32}).theoretical_blocks, 0);
  EXPECT_EQ(occupancy(hopper, {.threads = 1024, .registers = 65}).theoretical_blocks, 0);
  EXPECT_EQ(occupancy(hopper, {.threads = 32, .registers = 32, .dynamic_shared = 227 * 1024 + 1}).theoretical_blocks,
            0);
  EXPECT_EQ(occupancy(hopper, {.threads = 32, .registers = 32, .dynamic_shared = 227 * 1024}).theoretical_blocks, 1);
  EXPECT_EQ(occupancy(hopper, {.threads = 0, .registers = 32}).theoretical_warps, 0);
}

#ifdef LANESCOPE_CUDA_OCCUPANCY

cudaOccDeviceProp properties_of(const isa::Arch& arch) {
  cudaOccDeviceProp p;
  p.computeMajor = static_cast<int>(arch.sm / 10);
  p.computeMinor = static_cast<int>(arch.sm % 10);
  p.maxThreadsPerBlock = static_cast<int>(arch.max_threads_per_block);
  p.maxThreadsPerMultiprocessor = static_cast<int>(arch.max_threads());
  p.regsPerBlock = static_cast<int>(arch.max_registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(arch.registers);
  p.warpSize = 32;
  p.sharedMemPerBlock = arch.max_shared_per_block;
  p.sharedMemPerMultiprocessor = arch.shared_bytes;
  p.numSms = static_cast<int>(arch.chip.multiprocessors);
  p.sharedMemPerBlockOptin = arch.max_shared_per_block_optin;
  p.reservedSharedMemPerBlock = arch.shared_reserved;
  return p;
}

cudaOccResult theirs(const isa::Arch& arch, const KernelResources& kernel) {
  const cudaOccDeviceProp properties = properties_of(arch);
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = static_cast<int>(arch.max_threads_per_block);
  function.numRegs = static_cast<int>(kernel.registers);
  function.sharedSizeBytes = kernel.static_shared;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = arch.max_shared_per_block_optin - kernel.static_shared;
  function.numBlockBarriers = static_cast<int>(kernel.barriers);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function, &state,
                                                    static_cast<int>(kernel.threads), kernel.dynamic_shared),
            CUDA_OCC_SUCCESS);
  return result;
}

// The units and limits of the calculator's own tables must be ours, not only the results.
TEST(OccupancyAgainstCuda, RandomKernels) {
  std::mt19937 random(7);
  const auto up_to = [&](std::uint32_t most) { return std::uniform_int_distribution<std::uint32_t>(0, most)(random); };
  std::set<std::string_view> limiters;
  for (const isa::Arch& arch : isa::architectures()) {
    for (int i = 0; i < 20000; ++i) {
      KernelResources kernel;
      kernel.threads = 1 + up_to(i % 2 == 0 ? 1100 : 255);
      kernel.registers = up_to(i % 3 == 0 ? 255 : 64);
      kernel.static_shared = i % 4 == 0 ? 0 : up_to(arch.max_shared_per_block);
      kernel.dynamic_shared = i % 5 < 2 ? 0 : up_to((arch.max_shared_per_block_optin - kernel.static_shared) >> i % 6);
      kernel.barriers = i % 7 == 0 ? up_to(16) : 1;
      const cudaOccResult theirs_now = theirs(arch, kernel);
      const Occupancy ours = occupancy(arch, kernel);
      SCOPED_TRACE(testing::Message() << "sm_" << arch.sm << " threads " << kernel.threads << " registers "
                                      << kernel.registers << " shared " << kernel.static_shared << "+"
                                      << kernel.dynamic_shared << " barriers " << kernel.barriers);
      ASSERT_EQ(ours.limit_warps, theirs_now.blockLimitWarps);
      ASSERT_EQ(ours.limit_registers, theirs_now.blockLimitRegs);
      ASSERT_EQ(ours.limit_shared, theirs_now.blockLimitSharedMem);
      ASSERT_EQ(ours.limit_blocks, theirs_now.blockLimitBlocks);
      ASSERT_EQ(ours.limit_barriers, theirs_now.blockLimitBarriers);
      ASSERT_EQ(ours.theoretical_blocks, theirs_now.activeBlocksPerMultiprocessor);
      limiters.insert(ours.limiter);
    }
  }
  EXPECT_EQ(limiters.size(), 5u);
}

// Every step of the carve-out table: the calculator rounds a block that wants more than the preference up to one.
TEST(OccupancyAgainstCuda, Carveouts) {
  for (const isa::Arch& arch : isa::architectures()) {
    const cudaOccDeviceProp properties = properties_of(arch);
    std::size_t size = arch.shared_bytes + 1;
    EXPECT_NE(cudaOccAlignUpShmemSizeVoltaPlus(&size, &properties), CUDA_OCC_SUCCESS);
    for (std::size_t i = 0; i < arch.shared_carveouts.size(); ++i) {
      size = arch.shared_carveouts[i];
      EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&size, &properties), CUDA_OCC_SUCCESS);
      EXPECT_EQ(size, arch.shared_carveouts[i]) << arch.sm;
      if (i + 1 == arch.shared_carveouts.size()) break;
      size = arch.shared_carveouts[i] + 1;
      EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&size, &properties), CUDA_OCC_SUCCESS);
      EXPECT_EQ(size, arch.shared_carveouts[i + 1]) << arch.sm;
    }
  }
}

#endif

}  // namespace
}  // namespace lanescope::tune
