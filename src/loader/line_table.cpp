// The line table is read by libdw, which knows the vendor's extension: extended operation 0x90 gives a row the number
// of another row (the call site that it was inlined at) and the name of the inlined function.
//
// libdw gets neither the cubin nor its headers, but a small ELF file made here that holds the debug sections alone.
// That keeps a hostile cubin's headers away from libelf, and solves three problems:
//   - A cubin's line table is unrelocated: every sequence starts at 0. Here each gets an address range of its own.
//   - libdw sorts all rows of a unit by address. The ranges ascend in the order of the sequences, so the order stays.
//   - The vendor counts rows anew in each sequence, libdw over the unit; with the order kept, one is the other plus the
//     number of the sequence's first row.
#include "loader/line_table.h"

#include <elfutils/libdw.h>
#include <libelf.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace lanescope::loader {
namespace {

constexpr std::uint64_t kRange = 1ull << 32;  // of each sequence: more than any section of code
constexpr std::uint64_t kInstructionBytes = 16;

struct ElfDeleter {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct DwarfDeleter {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

std::vector<std::uint8_t> make_elf(const LineSections& sections) {
  static constexpr char kNames[] = "\0.shstrtab\0.debug_line\0.debug_str\0.debug_line_str";
  struct Part {
    std::uint32_t name, type;
    Bytes data;
  };
  std::vector<std::uint8_t> line(sections.line.begin(), sections.line.end());
  for (std::size_t i = 0; i < sections.addresses.size(); ++i) {
    const std::uint64_t address = (i + 1) * kRange;
    if (slice(line, sections.addresses[i].place, sizeof(address)))
      std::memcpy(line.data() + sections.addresses[i].place, &address, sizeof(address));
  }
  const Part parts[] = {
      {0, SHT_NULL, {}},
      {1, SHT_STRTAB, Bytes(reinterpret_cast<const std::uint8_t*>(kNames), sizeof(kNames))},
      {11, SHT_PROGBITS, line},
      {23, SHT_PROGBITS, sections.str},
      {34, SHT_PROGBITS, sections.line_str},
  };
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;  // any that libdw knows: line tables don't depend on it
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shoff = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = std::size(parts);
  header.e_shstrndx = 1;
  std::vector<std::uint8_t> file(sizeof(header) + std::size(parts) * sizeof(Elf64_Shdr));
  std::memcpy(file.data(), &header, sizeof(header));
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    const Part& part = parts[i];
    const Elf64_Shdr section{.sh_name = part.name,
                             .sh_type = part.data.empty() && i > 1 ? std::uint32_t{SHT_NULL} : part.type,
                             .sh_offset = file.size(),
                             .sh_size = part.data.size(),
                             .sh_addralign = 1};
    std::memcpy(file.data() + sizeof(header) + i * sizeof(section), &section, sizeof(section));
    file.insert(file.end(), part.data.begin(), part.data.end());
  }
  return file;
}

// One row of libdw's table.
struct Row {
  std::uint64_t address = 0;
  std::uint32_t file = 0, line = 0;
  std::int32_t function = -1;
  std::size_t context = 0;  // the row number of the call site in this sequence, from 1 on; 0 = not inlined
  bool end = false;
};

class LineReader {
 public:
  LineReader(const LineSections& sections, Module& module) : sections_(sections), module_(module) {}

  Result<void> read() {
    elf_version(EV_CURRENT);
    std::vector<std::uint8_t> image = make_elf(sections_);
    const std::unique_ptr<Elf, ElfDeleter> elf(elf_memory(reinterpret_cast<char*>(image.data()), image.size()));
    const std::unique_ptr<Dwarf, DwarfDeleter> dwarf(elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr);
    if (!dwarf) return bad(0);
    for (Dwarf_Off at = 0;;) {
      Dwarf_Off next = 0;
      Dwarf_CU* unit = nullptr;
      Dwarf_Files* files = nullptr;
      Dwarf_Lines* lines = nullptr;
      std::size_t file_count = 0, count = 0;
      const int status = dwarf_next_lines(dwarf.get(), at, &next, &unit, &files, &file_count, &lines, &count);
      if (status > 0) return {};
      if (status < 0 || next <= at) return bad(at);
      add_unit(read_rows(dwarf.get(), lines, count));
      at = next;
    }
  }

 private:
  tl::unexpected<Error> bad(std::uint64_t at) const {
    const char* reason = dwarf_errmsg(-1);
    return input_error("{}: .debug_line at {:#x} is damaged ({}): source lines are left out", module_.origin, at,
                       reason ? reason : "no reason known");
  }

  std::vector<Row> read_rows(Dwarf* dwarf, Dwarf_Lines* lines, std::size_t count) {
    std::vector<Row> rows(count);
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      Row& row = rows[i];
      dwarf_lineaddr(line, &row.address);
      dwarf_lineendsequence(line, &row.end);
      int number = 0;
      dwarf_lineno(line, &number);
      row.line = number > 0 ? static_cast<std::uint32_t>(number) : 0;
      const char* file = dwarf_linesrc(line, nullptr, nullptr);
      row.file = intern(files_, module_.files, file ? file : "");
      if (Dwarf_Line* site = dwarf_linecontext(lines, line)) {
        // libdw resolves the number over the whole unit: bring back the number.
        row.context = index_of(lines, site, count) + 1;
        const char* name = dwarf_linefunctionname(dwarf, line);
        if (name && *name)
          row.function = static_cast<std::int32_t>(intern(names_, module_.inlined_functions, demangle(name)));
      }
    }
    return rows;
  }

  // libdw keeps a unit's rows in one array, whose first two elements give the stride.
  static std::size_t index_of(Dwarf_Lines* lines, const Dwarf_Line* line, std::size_t count) {
    const auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(dwarf_onesrcline(lines, i)); };
    if (count < 2) return 0;
    return (reinterpret_cast<std::uintptr_t>(line) - address(0)) / (address(1) - address(0));
  }

  void add_unit(const std::vector<Row>& rows) {
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t last = first;
      while (last < rows.size() && !rows[last].end) ++last;
      add_sequence(std::span(rows).subspan(first, std::min(last + 1, rows.size()) - first));
      first = last + 1;
    }
  }

  void add_sequence(std::span<const Row> rows) {
    std::vector<std::int32_t> position(rows.size(), -1);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      if (rows[i].line == 0) continue;
      // A call site comes before what was inlined there, so chains end.
      const std::size_t site = rows[i].context;
      position[i] = intern_position({.file = rows[i].file,
                                     .line = rows[i].line,
                                     .inlined_at = site > 0 && site - 1 < i ? position[site - 1] : -1,
                                     .function = rows[i].function});
      mark(rows[i].address, rows[i + 1].address, position[i]);
    }
  }

  // Instructions from address `first` up to `end` come from `position`.
  void mark(std::uint64_t first, std::uint64_t end, std::int32_t position) {
    const std::uint64_t range = first / kRange;
    if (range == 0 || range > sections_.addresses.size() || end <= first || end / kRange != range) return;
    const std::uint64_t base = sections_.addresses[range - 1].instruction;
    std::uint64_t at = base + first % kRange / kInstructionBytes;
    std::uint64_t stop = base + (end % kRange + kInstructionBytes - 1) / kInstructionBytes;
    if (at >= module_.code.size()) return;
    const Function* function = module_.function_at(static_cast<std::uint32_t>(at));
    if (!function) return;
    Function& owner = module_.functions[static_cast<std::size_t>(function - module_.functions.data())];
    owner.positions.resize(owner.count, -1);
    stop = std::min<std::uint64_t>(stop, owner.first + owner.count);
    for (; at < stop; ++at) owner.positions[at - owner.first] = position;
  }

  std::int32_t intern_position(const SourcePosition& position) {
    const auto key = std::tuple(position.file, position.line, position.inlined_at, position.function);
    const auto [found, added] = positions_.emplace(key, static_cast<std::int32_t>(module_.positions.size()));
    if (added) module_.positions.push_back(position);
    return found->second;
  }

  static std::uint32_t intern(std::map<std::string, std::uint32_t>& known, std::vector<std::string>& list,
                              const std::string& text) {
    const auto [found, added] = known.emplace(text, static_cast<std::uint32_t>(list.size()));
    if (added) list.push_back(text);
    return found->second;
  }

  const LineSections& sections_;
  Module& module_;
  std::map<std::string, std::uint32_t> files_, names_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t, std::int32_t>, std::int32_t> positions_;
};

}  // namespace

Result<void> read_lines(const LineSections& sections, Module& module) { return LineReader(sections, module).read(); }

}  // namespace lanescope::loader
