#include "loader/elf_view.h"

#include <algorithm>

namespace lanescope::loader {
namespace {

// Far more than any compiler writes; keeps a hostile count from costing memory.
constexpr std::uint64_t kMaxSections = 1u << 20;

Result<void> read_sections(Bytes file, const std::string& origin, ElfView& elf) {
  const Elf64_Ehdr& header = elf.header;
  if (header.e_shoff == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return input_error("{}: section headers of {} bytes instead of {}: not a file that nvcc or ld writes", origin,
                       header.e_shentsize, sizeof(Elf64_Shdr));
  const auto first = read_at<Elf64_Shdr>(file, header.e_shoff);
  if (!first) return input_error("{}: the section table at offset {:#x} lies outside the file", origin, header.e_shoff);
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first->sh_size;
  if (count > kMaxSections || !slice(file, header.e_shoff, count * sizeof(Elf64_Shdr)))
    return input_error("{}: {} section headers at offset {:#x} don't fit in the file's {} bytes: it is cut or damaged",
                       origin, count, header.e_shoff, file.size());
  elf.sections.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    ElfSection& section = elf.sections[i];
    section.header = *read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.header.sh_type == SHT_NOBITS || section.header.sh_type == SHT_NULL) continue;
    const auto data = slice(file, section.header.sh_offset, section.header.sh_size);
    if (!data)
      return input_error("{}: section {} claims {} bytes at offset {:#x}, outside the file: it is cut or damaged",
                         origin, i, section.header.sh_size, section.header.sh_offset);
    section.data = *data;
  }
  return {};
}

Result<void> name_sections(const std::string& origin, ElfView& elf) {
  if (elf.sections.empty()) return {};
  const std::uint64_t index =
      elf.header.e_shstrndx == SHN_XINDEX ? elf.sections[0].header.sh_link : elf.header.e_shstrndx;
  if (index >= elf.sections.size())
    return input_error("{}: the section names are said to be in section {}, which does not exist", origin, index);
  const Bytes names = elf.sections[index].data;
  for (std::size_t i = 1; i < elf.sections.size(); ++i) {
    const auto name = string_at(names, elf.sections[i].header.sh_name);
    if (!name) return input_error("{}: the name of section {} lies outside the table of names", origin, i);
    elf.sections[i].name = *name;
  }
  return {};
}

Result<void> read_symbols(const std::string& origin, ElfView& elf) {
  const auto table = std::find_if(elf.sections.begin(), elf.sections.end(),
                                  [](const ElfSection& s) { return s.header.sh_type == SHT_SYMTAB; });
  if (table == elf.sections.end()) return {};
  if (table->header.sh_link >= elf.sections.size())
    return input_error("{}: symbol table {} names string table {}, which does not exist", origin, table->name,
                       table->header.sh_link);
  const Bytes names = elf.sections[table->header.sh_link].data;
  // Indices past 0xff00 live in a table beside the symbols.
  Bytes wide_indices;
  for (const ElfSection& section : elf.sections)
    if (section.header.sh_type == SHT_SYMTAB_SHNDX) wide_indices = section.data;

  const std::size_t count = table->data.size() / sizeof(Elf64_Sym);
  elf.symbols.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto raw = *read_at<Elf64_Sym>(table->data, i * sizeof(Elf64_Sym));
    const auto name = string_at(names, raw.st_name);
    if (!name) return input_error("{}: the name of symbol {} in {} lies outside its table", origin, i, table->name);
    std::uint32_t section = raw.st_shndx;
    if (section == SHN_XINDEX) {
      const auto wide = read_at<std::uint32_t>(wide_indices, i * sizeof(std::uint32_t));
      if (!wide) return input_error("{}: symbol {} ({}) has no section index", origin, i, *name);
      section = *wide;
    } else if (section >= SHN_LORESERVE) {
      section = section == SHN_ABS || section == SHN_COMMON ? section : std::uint32_t{SHN_UNDEF};
    }
    if (section >= elf.sections.size() && section != SHN_ABS && section != SHN_COMMON)
      return input_error("{}: symbol {} ({}) is in section {}, which does not exist", origin, i, *name, section);
    elf.symbols.push_back({.name = *name,
                           .section = section,
                           .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(raw.st_info)),
                           .binding = static_cast<std::uint8_t>(ELF64_ST_BIND(raw.st_info)),
                           .other = raw.st_other,
                           .value = raw.st_value,
                           .size = raw.st_size});
  }
  return {};
}

}  // namespace

const ElfSection* ElfView::find(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

bool is_elf(Bytes file) { return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0; }

std::optional<std::string_view> string_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const auto* first = reinterpret_cast<const char*>(table.data()) + offset;
  const void* end = std::memchr(first, 0, table.size() - offset);
  if (!end) return std::nullopt;
  return std::string_view(first, static_cast<std::size_t>(static_cast<const char*>(end) - first));
}

Result<ElfView> read_elf(Bytes file, const std::string& origin) {
  ElfView elf;
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!is_elf(file)) return input_error("{}: not an ELF file", origin);
  if (!header) return input_error("{}: an ELF file cut off after {} bytes", origin, file.size());
  elf.header = *header;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return input_error("{}: not a 64-bit little-endian ELF file", origin);
  if (auto done = read_sections(file, origin, elf); !done) return tl::unexpected(done.error());
  if (auto done = name_sections(origin, elf); !done) return tl::unexpected(done.error());
  if (auto done = read_symbols(origin, elf); !done) return tl::unexpected(done.error());
  return elf;
}

Result<std::vector<ElfRelocation>> read_relocations(const ElfView& elf, const ElfSection& section,
                                                    const std::string& origin) {
  const bool with_addend = section.header.sh_type == SHT_RELA;
  const std::size_t step = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  if (section.header.sh_info >= elf.sections.size())
    return input_error("{}: {} changes section {}, which does not exist", origin, section.name, section.header.sh_info);
  const ElfSection& target = elf.sections[section.header.sh_info];
  std::vector<ElfRelocation> result;
  result.reserve(section.data.size() / step);
  for (std::size_t at = 0; at + step <= section.data.size(); at += step) {
    Elf64_Rela raw{};
    std::memcpy(&raw, section.data.data() + at, step);
    const std::uint32_t symbol = ELF64_R_SYM(raw.r_info);
    if (symbol >= elf.symbols.size())
      return input_error("{}: {} at {:#x} names symbol {}, which does not exist", origin, section.name, at, symbol);
    if (raw.r_offset >= target.header.sh_size)
      return input_error("{}: {} at {:#x} changes offset {:#x} of {}, which has {} bytes", origin, section.name, at,
                         raw.r_offset, target.name, target.header.sh_size);
    result.push_back({.section = section.header.sh_info,
                      .offset = raw.r_offset,
                      .type = static_cast<std::uint32_t>(ELF64_R_TYPE(raw.r_info)),
                      .symbol = symbol,
                      .addend = raw.r_addend,
                      .in_place = !with_addend});
  }
  return result;
}

}  // namespace lanescope::loader
