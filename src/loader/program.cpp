// Where fat binaries are found: in a program, a library or an object file, in a static library's members, or in a file
// of their own.
#include <ar.h>

#include <algorithm>
#include <charconv>

#include "loader/elf_view.h"
#include "loader/fatbin.h"

namespace lanescope::loader {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint64_t kFatbinAlignment = 8;
constexpr std::string_view kFatbinSection = ".nv_fatbin";
constexpr std::string_view kRelocatableSection = "__nv_relfatbin";  // of -rdc=true objects, before the device link

struct Search {
  const WantData& want;
  std::vector<FatbinEntry> entries;
  bool relocatable = false;  // met code that awaits a device link
};

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// All fatbins of one section, which the linker laid one after another with padding between.
Result<void> read_section(Bytes section, const std::string& origin, Search& search) {
  std::uint32_t container = search.entries.empty() ? 0 : search.entries.back().container + 1;
  for (std::uint64_t at = 0; at < section.size();) {
    const auto magic = read_at<std::uint32_t>(section, at);
    if (!magic || *magic != kFatbinMagic) {
      at += kFatbinAlignment;
      continue;
    }
    const std::string where = fmt::format("{} at {:#x}", origin, at);
    const auto size = fatbin_size(section.subspan(at));
    if (!size) return input_error("{}: {}", where, size.error().message);
    auto entries = read_fatbin(section.subspan(at, *size), where, search.want);
    if (!entries) return tl::unexpected(entries.error());
    for (FatbinEntry& entry : *entries) entry.container = container;
    ++container;
    std::move(entries->begin(), entries->end(), std::back_inserter(search.entries));
    at = round_up(at + *size, kFatbinAlignment);
  }
  return {};
}

FatbinEntry bare_cubin(Bytes file, const Elf64_Ehdr& header) {
  FatbinEntry entry{.kind = FatbinEntry::Kind::kCubin};
  entry.sm = header.e_ident[EI_ABIVERSION] >= 8 ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff;
  entry.data.assign(file.begin(), file.end());
  return entry;
}

Result<void> read_elf_file(Bytes file, const std::string& origin, Search& search) {
  const auto elf = read_elf(file, origin);
  if (!elf) return tl::unexpected(elf.error());
  if (elf->header.e_machine == kMachineCuda) {
    search.entries.push_back(bare_cubin(file, elf->header));
    return {};
  }
  for (const ElfSection& section : elf->sections) {
    if (section.name == kRelocatableSection) search.relocatable = true;
    if (section.name != kFatbinSection) continue;
    if (auto done = read_section(section.data, fmt::format("{}: {}", origin, section.name), search); !done) return done;
  }
  return {};
}

bool is_archive(Bytes file) { return file.size() >= SARMAG && std::memcmp(file.data(), ARMAG, SARMAG) == 0; }

// The members of a static library that are ELF files.
Result<void> read_archive(Bytes file, const std::string& origin, Search& search) {
  for (std::uint64_t at = SARMAG; at < file.size();) {
    const auto header = read_at<ar_hdr>(file, at);
    if (!header) return input_error("{}: the static library is cut off at {:#x}", origin, at);
    std::uint64_t size = 0;
    const char* const end = std::find(header->ar_size, std::end(header->ar_size), ' ');
    const auto [stop, error] = std::from_chars(header->ar_size, end, size);
    const auto member = error == std::errc{} ? slice(file, at + sizeof(ar_hdr), size) : std::nullopt;
    if (!member || stop != end) return input_error("{}: the static library's member at {:#x} is damaged", origin, at);
    if (is_elf(*member)) {
      const std::string where = fmt::format("{}: member at {:#x}", origin, at);
      if (auto done = read_elf_file(*member, where, search); !done) return done;
    }
    at = round_up(at + sizeof(ar_hdr) + size, 2);
  }
  return {};
}

}  // namespace

Result<std::vector<FatbinEntry>> read_program(Bytes file, const std::string& origin, const WantData& want) {
  if (!is_elf(file) && !is_archive(file)) return read_fatbin(file, origin, want);
  Search search{want};
  const auto done = is_elf(file) ? read_elf_file(file, origin, search) : read_archive(file, origin, search);
  if (!done) return tl::unexpected(done.error());
  if (search.entries.empty() && search.relocatable)
    return input_error("{}: its CUDA code is relocatable (-rdc=true) and not linked: link it with nvcc first", origin);
  if (search.entries.empty())
    return input_error("{}: no CUDA code in it (no {} section): is it a program that nvcc linked?", origin,
                       kFatbinSection);
  return std::move(search.entries);
}

}  // namespace lanescope::loader
