// ELF64 as checked views of someone else's bytes. libelf trusts a file's header more than hostile input allows, and all
// that a cubin needs is a section table, a symbol table and relocations with addends: this reads just those, with every
// offset and count checked against the file's size. Structures and constants are <elf.h>'s.
#pragma once

#include <elf.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace lanescope::loader {

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header{};
  Bytes data;  // empty for SHT_NOBITS, whose size is header.sh_size
};

struct ElfSymbol {
  std::string_view name;
  std::uint32_t section = 0;  // index, or SHN_UNDEF, SHN_ABS, SHN_COMMON
  std::uint8_t type = 0;      // STT_*
  std::uint8_t binding = 0;   // STB_*
  std::uint8_t other = 0;     // visibility and the vendor's flags
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

struct ElfRelocation {
  std::uint32_t section = 0;  // index of the section that it changes
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;  // index into ElfView::symbols
  std::int64_t addend = 0;   // SHT_REL: 0, the place holds it
  bool in_place = false;     // SHT_REL
};

struct ElfView {
  Elf64_Ehdr header{};
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  const ElfSection* find(std::string_view name) const;
};

bool is_elf(Bytes file);

// Sections and symbols; every view points into `file`, which must outlive the result.
Result<ElfView> read_elf(Bytes file, const std::string& origin);

// The relocations of one SHT_RELA or SHT_REL section.
Result<std::vector<ElfRelocation>> read_relocations(const ElfView& elf, const ElfSection& section,
                                                    const std::string& origin);

// The NUL-terminated string at `offset` of a string table, or nothing when it has no end.
std::optional<std::string_view> string_at(Bytes table, std::uint64_t offset);

}  // namespace lanescope::loader
