// .nv.info: what the compiler tells the driver about functions, as a list of attributes.
#pragma once

#include "loader/elf_view.h"
#include "loader/module.h"

namespace lanescope::loader {

// Attributes that matter here; the names are those that the vendor's cuobjdump prints, without EIATTR_.
enum class Attribute : std::uint8_t {
  kMaxThreads = 0x05,
  kParamCbank = 0x0a,
  kReqntid = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kKparamInfo = 0x17,
  kCbankParamSize = 0x19,
  kMaxStackSize = 0x23,
  kRegcount = 0x2f,
  kCtaPerCluster = 0x3d,
  kNumBarriers = 0x4c,
};

struct InfoRecord {
  Attribute attribute{};
  std::uint16_t value = 0;  // of formats 1 to 3
  Bytes payload;            // of format 4
};

Result<std::vector<InfoRecord>> read_info(const ElfSection& section, const std::string& origin);

// Registers and stack of the functions of `module` (looked up by name), from the cubin-wide .nv.info section.
Result<void> apply_module_info(const ElfView& elf, const ElfSection& section, Module& module);

// Everything that .nv.info.<function> says of one function.
Result<void> apply_function_info(const ElfSection& section, const std::string& origin, Function& function);

}  // namespace lanescope::loader
