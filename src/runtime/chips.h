// The device that programs see: the product that stands for the modelled architecture (isa/arch.h has what counting and
// occupancy need of it; here is the rest of what CUDA tells about a device).
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/arch.h"
#include "runtime/cuda_types.h"

namespace lanescope::runtime {

struct Chip {
  std::uint32_t sm;
  std::string_view device_name;  // as cudaDeviceProp has it
  int memory_clock_khz;
  int memory_bus_bits;
  std::uint64_t memory_bytes;  // that programs can have
  int l2_bytes;
  int persisting_l2_bytes;
  bool ecc;
  bool integrated;
  int single_to_double_ratio;
  int copy_engines;
  const isa::Arch* arch = nullptr;
};

// Null for an architecture that is not modelled.
const Chip* find_chip(std::uint32_t sm);

// The fields of both versions' cudaDeviceProp.
struct DeviceProperties {
#define LANESCOPE_PROP_BOTH(type, name, array) type name array;
#define LANESCOPE_PROP_12(type, name, array) type name array;
#define LANESCOPE_PROP_13(type, name, array) type name array;
#include "runtime/device_prop.inc"
};

DeviceProperties device_properties(const Chip& chip, std::uint64_t memory_bytes);
DeviceProp12 to_prop12(const DeviceProperties& properties);
DeviceProp13 to_prop13(const DeviceProperties& properties);

// False when the attribute does not exist. Every value agrees with the properties.
bool device_attribute(const DeviceProperties& properties, cudaDeviceAttr attribute, int& value);

}  // namespace lanescope::runtime
