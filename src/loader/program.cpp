// Where fat binaries are found: in a program, a library, or a file of their own.
#include "loader/elf_view.h"
#include "loader/fatbin.h"

namespace lanescope::loader {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint16_t kMachineCuda = 190;

// All fatbins of one section, which the linker laid one after another with padding between.
Result<void> read_section(Bytes section, const std::string& origin, std::vector<FatbinEntry>& out) {
  for (std::uint64_t at = 0; at < section.size();) {
    const auto magic = read_at<std::uint32_t>(section, at);
    if (!magic || *magic != kFatbinMagic) {
      at += 8;  // fatbins are aligned to 8 bytes
      continue;
    }
    const auto size = fatbin_size(section.subspan(at));
    if (!size) return input_error("{} at {:#x}: {}", origin, at, size.error().message);
    auto entries = read_fatbin(section.subspan(at, *size), fmt::format("{} at {:#x}", origin, at));
    if (!entries) return tl::unexpected(entries.error());
    std::move(entries->begin(), entries->end(), std::back_inserter(out));
    at = (at + *size + 7) / 8 * 8;
  }
  return {};
}

}  // namespace

Result<std::vector<FatbinEntry>> read_program(Bytes file, const std::string& origin) {
  if (!is_elf(file)) return read_fatbin(file, origin);
  const auto elf = read_elf(file, origin);
  if (!elf) return tl::unexpected(elf.error());
  std::vector<FatbinEntry> entries;
  if (elf->header.e_machine == kMachineCuda) {
    FatbinEntry entry{.kind = FatbinEntry::Kind::kCubin};
    entry.sm = elf->header.e_ident[EI_ABIVERSION] >= 8 ? elf->header.e_flags >> 8 & 0xff : elf->header.e_flags & 0xff;
    entry.data.assign(file.begin(), file.end());
    entries.push_back(std::move(entry));
    return entries;
  }
  for (const ElfSection& section : elf->sections) {
    if (section.name != ".nv_fatbin") continue;
    if (auto done = read_section(section.data, fmt::format("{}: .nv_fatbin", origin), entries); !done)
      return tl::unexpected(done.error());
  }
  if (entries.empty())
    return input_error("{}: no CUDA code in it (no .nv_fatbin section): is it a program that nvcc linked?", origin);
  return entries;
}

}  // namespace lanescope::loader
