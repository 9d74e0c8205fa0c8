#include "runtime/chips.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lanescope::runtime {
namespace {

// Sources: the makers' data sheets, and what the chips' own device queries are known to say.
constexpr std::uint64_t kMiB = 1 << 20;
constexpr Chip kChips[] = {
    {75, "Tesla T4", 5001000, 256, 14930 * kMiB, 4 << 20, 0, true, false, 32, 3},
    {80, "NVIDIA A100-SXM4-80GB", 1593000, 5120, 81050 * kMiB, 40 << 20, 25 << 20, true, false, 2, 3},
    {86, "NVIDIA GeForce RTX 3090", 9751000, 384, 24260 * kMiB, 6 << 20, 4325376, false, false, 32, 2},
    {87, "Orin", 3200000, 256, 30697 * kMiB, 4 << 20, 0, false, true, 32, 2},
    {89, "NVIDIA GeForce RTX 4090", 10501000, 384, 24210 * kMiB, 72 << 20, 49545216, false, false, 64, 2},
    {90, "NVIDIA H200", 3201000, 6144, 143165 * kMiB, 60 << 20, 39321600, true, false, 2, 3},
    {100, "NVIDIA B200", 3996000, 8192, 182631 * kMiB, 132644864, 82903040, true, false, 2, 4},
    {103, "NVIDIA B300", 3996000, 8192, 275040 * kMiB, 132644864, 82903040, true, false, 64, 4},
    {120, "NVIDIA GeForce RTX 5090", 14001000, 512, 32109 * kMiB, 96 << 20, 62914560, false, false, 64, 2},
};

template <std::size_t n>
void set(int (&field)[n], const int (&values)[n]) {
  std::copy(values, values + n, field);
}

void set_texture_limits(DeviceProperties& p) {
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  p.maxTexture1DLinear = 268435456;
  set(p.maxTexture2D, {131072, 65536});
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  p.maxTextureCubemap = 32768;
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  set(p.maxTextureCubemapLayered, {32768, 2046});
  p.maxSurface1D = 32768;
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  p.maxSurfaceCubemap = 32768;
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
}

void set_abilities(DeviceProperties& p) {
  p.deviceOverlap = 1;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.unifiedAddressing = 1;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
}

}  // namespace

const Chip* find_chip(std::uint32_t sm) {
  static const auto chips = [] {
    std::array<Chip, std::size(kChips)> result{};
    std::copy(std::begin(kChips), std::end(kChips), result.begin());
    for (Chip& chip : result) chip.arch = isa::find_arch(chip.sm);
    return result;
  }();
  const auto found = std::find_if(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.sm == sm; });
  return found == chips.end() ? nullptr : &*found;
}

DeviceProperties device_properties(const Chip& chip, std::uint64_t memory_bytes) {
  const isa::Arch& arch = *chip.arch;
  DeviceProperties p{};
  chip.device_name.copy(p.name, sizeof p.name - 1);
  std::memcpy(p.uuid.bytes, "lanescope", 9);
  p.uuid.bytes[15] = static_cast<char>(chip.sm);
  p.totalGlobalMem = memory_bytes;
  p.sharedMemPerBlock = arch.max_shared_per_block;
  p.sharedMemPerMultiprocessor = arch.shared_bytes;
  p.sharedMemPerBlockOptin = arch.max_shared_per_block_optin;
  p.reservedSharedMemPerBlock = arch.shared_reserved;
  p.regsPerBlock = static_cast<int>(arch.max_registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(arch.registers);
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = static_cast<int>(arch.max_threads_per_block);
  set(p.maxThreadsDim, {1024, 1024, 64});
  set(p.maxGridSize, {2147483647, 65535, 65535});
  p.maxThreadsPerMultiProcessor = static_cast<int>(arch.max_threads());
  p.maxBlocksPerMultiProcessor = static_cast<int>(arch.max_blocks);
  p.totalConstMem = 65536;
  p.major = static_cast<int>(chip.sm / 10);
  p.minor = static_cast<int>(chip.sm % 10);
  p.multiProcessorCount = static_cast<int>(arch.chip.multiprocessors);
  p.clockRate = static_cast<int>(arch.chip.clock_mhz) * 1000;
  p.memoryClockRate = chip.memory_clock_khz;
  p.memoryBusWidth = chip.memory_bus_bits;
  p.l2CacheSize = chip.l2_bytes;
  p.persistingL2CacheMaxSize = chip.persisting_l2_bytes;
  p.accessPolicyMaxWindowSize = chip.persisting_l2_bytes == 0 ? 0 : 134213632;
  p.singleToDoublePrecisionPerfRatio = chip.single_to_double_ratio;
  p.ECCEnabled = chip.ecc ? 1 : 0;
  p.integrated = chip.integrated ? 1 : 0;
  p.asyncEngineCount = chip.copy_engines;
  p.pciBusID = 1;
  p.clusterLaunch = chip.sm >= 90 ? 1 : 0;
  p.deviceNumaId = -1;
  p.hostNumaId = -1;
  set_texture_limits(p);
  set_abilities(p);
  return p;
}

DeviceProp12 to_prop12(const DeviceProperties& from) {
  DeviceProp12 to{};
#define LANESCOPE_PROP_BOTH(type, name, array) std::memcpy(&to.name, &from.name, sizeof to.name);
#define LANESCOPE_PROP_12(type, name, array) std::memcpy(&to.name, &from.name, sizeof to.name);
#define LANESCOPE_PROP_13(type, name, array)
#include "runtime/device_prop.inc"
  return to;
}

DeviceProp13 to_prop13(const DeviceProperties& from) {
  DeviceProp13 to{};
#define LANESCOPE_PROP_BOTH(type, name, array) std::memcpy(&to.name, &from.name, sizeof to.name);
#define LANESCOPE_PROP_12(type, name, array)
#define LANESCOPE_PROP_13(type, name, array) std::memcpy(&to.name, &from.name, sizeof to.name);
#include "runtime/device_prop.inc"
  return to;
}

bool device_attribute(const DeviceProperties& p, cudaDeviceAttr attribute, int& value) {
  switch (attribute) {
#define LANESCOPE_ATTRIBUTE(name, source) \
  case cudaDevAttr##name:                 \
    value = static_cast<int>(source);     \
    return true;
#include "runtime/device_attributes.inc"
    default:
      return false;
  }
}

}  // namespace lanescope::runtime
