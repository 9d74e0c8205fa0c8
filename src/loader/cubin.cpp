// From a cubin's sections to a Module.
//
// A cubin is an ELF file whose machine is 190. One function is spread over sections that carry its name: .text.F,
// .nv.info.F, .nv.shared.F, .nv.constant0.F (parameters), .nv.constant2.F (jump tables). What all functions share has
// sections without one: .nv.global.init and .nv.global (device variables), .nv.constant3 (user constants),
// .nv.constant4 (addresses). Text is laid out first, since relocations need every function's code address; then the
// variables; then relocations are applied.
#include <algorithm>
#include <unordered_map>

#include "loader/elf_view.h"
#include "loader/kernel_info.h"
#include "loader/line_table.h"
#include "loader/module.h"
#include "loader/relocation.h"

namespace lanescope::loader {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint8_t kEntryFlag = 0x10;        // of st_other: a kernel
constexpr std::uint8_t kNewFlagsAbi = 8;         // ABI version from which e_flags holds the architecture in bits 8-15
constexpr std::uint64_t kInstructionBytes = 16;  // from sm_70 on
constexpr std::uint64_t kMaxShared = 1u << 20;   // more than any chip has
constexpr std::uint64_t kMaxConstantBank = 1u << 20;  // banks have 64 KB
constexpr std::uint64_t kMaxGlobalsAlignment = 1u << 20;

// Where a section of the cubin went.
struct Placement {
  enum class Space { kNone, kCode, kGlobals, kBank0, kBank2, kBank3, kBank4, kShared } space = Space::kNone;
  std::uint32_t function = 0;  // kCode, kBank0, kBank2, kShared
  std::uint64_t base = 0;      // code address or offset in the image
};
using Space = Placement::Space;

struct Loading {
  const ElfView& elf;
  const Limits& limits;
  Module& module;
  std::vector<Placement> placements;                              // one a section
  std::unordered_map<std::string_view, std::uint32_t> functions;  // by mangled name
};

// The function's name in "<prefix><function>", or nothing.
std::optional<std::string_view> after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

Result<void> lay_out_code(Loading& loading) {
  Module& module = loading.module;
  for (std::size_t i = 0; i < loading.elf.sections.size(); ++i) {
    const ElfSection& section = loading.elf.sections[i];
    const auto name = after(section.name, ".text.");
    if (!name || section.header.sh_type != SHT_PROGBITS) continue;
    if (section.data.size() % kInstructionBytes != 0)
      return input_error("{}: {} has {} bytes, not whole instructions of 16", module.origin, section.name,
                         section.data.size());
    const std::uint64_t first = module.code.size();
    if (first + section.data.size() / kInstructionBytes > 1u << 28)
      return input_error("{}: more than 4 GB of code", module.origin);
    Function function{.name = std::string(*name),
                      .first = static_cast<std::uint32_t>(first),
                      .count = static_cast<std::uint32_t>(section.data.size() / kInstructionBytes)};
    if (module.sm >= 90) function.shared_base = 0x400;
    if (!loading.functions.emplace(*name, module.functions.size()).second)
      return input_error("{}: two sections are named {}", module.origin, section.name);
    loading.placements[i] = {.space = Space::kCode,
                             .function = static_cast<std::uint32_t>(module.functions.size()),
                             .base = first * kInstructionBytes};
    for (std::size_t at = 0; at < section.data.size(); at += kInstructionBytes)
      module.code.push_back(*read_at<Word128>(section.data, at));
    module.functions.push_back(std::move(function));
  }
  for (const ElfSymbol& symbol : loading.elf.symbols) {
    if (symbol.type != STT_FUNC || (symbol.other & kEntryFlag) == 0) continue;
    if (const auto found = loading.functions.find(symbol.name); found != loading.functions.end())
      module.functions[found->second].is_kernel = true;
  }
  for (Function& function : module.functions) function.demangled = demangle(function.name);
  return {};
}

Result<void> place_bank(Loading& loading, std::size_t index, Space space, std::vector<std::uint8_t>& bank,
                        std::uint32_t function) {
  const ElfSection& section = loading.elf.sections[index];
  if (section.header.sh_size > kMaxConstantBank)
    return input_error("{}: {} has {} bytes, more than a constant bank holds", loading.module.origin, section.name,
                       section.header.sh_size);
  bank.assign(section.data.begin(), section.data.end());
  bank.resize(section.header.sh_size);
  loading.placements[index] = {.space = space, .function = function};
  return {};
}

Result<void> place_shared(Loading& loading, std::size_t index, std::uint32_t function) {
  const ElfSection& section = loading.elf.sections[index];
  Function& kernel = loading.module.functions[function];
  if (section.header.sh_size > kMaxShared)
    return input_error("{}: {} has {} bytes, more shared memory than a chip has", loading.module.origin, section.name,
                       section.header.sh_size);
  const auto size = static_cast<std::uint32_t>(section.header.sh_size);
  kernel.static_shared = size > kernel.shared_base ? size - kernel.shared_base : 0;
  loading.placements[index] = {.space = Space::kShared, .function = function};
  return {};
}

// Sections named after a function: its constants, shared memory and attributes.
Result<void> place_function_section(Loading& loading, std::size_t index) {
  const ElfSection& section = loading.elf.sections[index];
  Module& module = loading.module;
  const auto with = [&](std::string_view prefix) -> std::optional<std::uint32_t> {
    const auto name = after(section.name, prefix);
    if (!name) return std::nullopt;
    const auto found = loading.functions.find(*name);
    if (found == loading.functions.end()) return std::nullopt;
    return found->second;
  };
  if (const auto f = with(".nv.constant0."))
    return place_bank(loading, index, Space::kBank0, module.functions[*f].bank0, *f);
  if (const auto f = with(".nv.constant2."))
    return place_bank(loading, index, Space::kBank2, module.functions[*f].bank2, *f);
  if (const auto f = with(".nv.shared.")) return place_shared(loading, index, *f);
  if (const auto f = with(".nv.info.")) return apply_function_info(section, module.origin, module.functions[*f]);
  if (section.name.starts_with(".nv.constant"))
    return input_error("{}: lanescope does not know the constant bank of section {}", module.origin, section.name);
  return {};
}

// Appends a section of device variables to the globals' image.
Result<void> place_variables(Loading& loading, std::size_t index) {
  const ElfSection& section = loading.elf.sections[index];
  Module& module = loading.module;
  const std::uint64_t alignment = std::max<std::uint64_t>(section.header.sh_addralign, 1);
  if (alignment > kMaxGlobalsAlignment || (alignment & (alignment - 1)) != 0)
    return input_error("{}: {} wants an alignment of {} bytes", module.origin, section.name, alignment);
  const std::uint64_t base = (module.globals.size() + alignment - 1) / alignment * alignment;
  if (base > loading.limits.globals || section.header.sh_size > loading.limits.globals - base)
    return input_error("{}: {} has {} bytes, more device variables than lanescope takes ({} bytes)", module.origin,
                       section.name, section.header.sh_size, loading.limits.globals);
  module.globals.resize(base + section.header.sh_size);
  std::copy(section.data.begin(), section.data.end(), module.globals.begin() + static_cast<std::ptrdiff_t>(base));
  module.globals_alignment = std::max(module.globals_alignment, static_cast<std::uint32_t>(alignment));
  loading.placements[index] = {.space = Space::kGlobals, .base = base};
  return {};
}

Result<void> place_data(Loading& loading) {
  Module& module = loading.module;
  for (std::size_t i = 0; i < loading.elf.sections.size(); ++i) {
    const ElfSection& section = loading.elf.sections[i];
    Result<void> done;
    if (section.name == ".nv.global.init" || section.name == ".nv.global")
      done = place_variables(loading, i);
    else if (section.name == ".nv.constant3")
      done = place_bank(loading, i, Space::kBank3, module.bank3, 0);
    else if (section.name == ".nv.constant4")
      done = place_bank(loading, i, Space::kBank4, module.bank4, 0);
    else if (section.name == ".nv.info")
      done = apply_module_info(loading.elf, section, module);
    else
      done = place_function_section(loading, i);
    if (!done) return done;
  }
  return {};
}

void name_variables(Loading& loading) {
  for (const ElfSymbol& symbol : loading.elf.symbols) {
    if (symbol.type == STT_SECTION || symbol.name.empty() || symbol.section >= loading.placements.size()) continue;
    const Placement& place = loading.placements[symbol.section];
    if (place.space != Space::kGlobals && place.space != Space::kBank3) continue;
    loading.module.variables.push_back({.name = std::string(symbol.name),
                                        .constant = place.space == Space::kBank3,
                                        .offset = place.base + symbol.value,
                                        .size = symbol.size});
  }
}

// What a relocation's symbol stands for: an address known now, or one that waits for the variables' place.
struct Target {
  bool waits = false;
  GlobalRelocation::Target space = GlobalRelocation::Target::kGlobals;
  std::uint64_t value = 0;
};

std::uint64_t external_address(Module& module, std::string_view name) {
  for (const External& external : module.externals)
    if (external.name == name) return external.address;
  const std::uint64_t address = kInstructionBytes * (module.code.size() + module.externals.size());
  module.externals.push_back({.name = std::string(name), .address = address});
  return address;
}

// A relocation without an addend of its own finds it in the place that it changes.
std::uint64_t stored_addend(const Word128& word, const RelocationType& type) {
  if (type.form == RelocationType::Form::kBranch)
    return word.bits(16, 8) << 2 | word.bits(type.position, type.width) << 10;
  return word.bits(type.position, type.width) << type.drop;
}

std::uint64_t stored_addend(const std::vector<std::uint8_t>& bytes, std::uint64_t offset, const RelocationType& type) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, type.width / 8);
  return value << type.drop;
}

Result<Target> resolve(Loading& loading, const ElfRelocation& relocation, const ElfSection& section) {
  const ElfSymbol& symbol = loading.elf.symbols[relocation.symbol];
  const auto addend = static_cast<std::uint64_t>(relocation.addend);
  if (symbol.section == SHN_ABS) return Target{.value = symbol.value + addend};
  if (symbol.section == SHN_UNDEF && (symbol.type == STT_FUNC || symbol.name.empty()))
    return Target{.value = symbol.name.empty() ? addend : external_address(loading.module, symbol.name) + addend};
  if (symbol.section < loading.placements.size()) {
    const Placement& place = loading.placements[symbol.section];
    const std::uint64_t value = place.base + symbol.value + addend;
    if (place.space == Space::kCode) return Target{.value = value};
    if (place.space == Space::kGlobals) return Target{.waits = true, .value = value};
    if (place.space == Space::kBank3)
      return Target{.waits = true, .space = GlobalRelocation::Target::kBank3, .value = value};
  }
  return input_error("{}: {} at {:#x} refers to {}, which this cubin does not define: link it first (nvcc -dlink)",
                     loading.module.origin, section.name, relocation.offset, symbol.name);
}

std::uint64_t field(std::uint64_t address, const RelocationType& type) {
  const std::uint64_t value = address >> type.drop;
  return type.width >= 64 ? value : value & ((std::uint64_t{1} << type.width) - 1);
}

// Writes an address into an instruction.
void patch(Word128& word, const RelocationType& type, std::uint64_t address) {
  if (type.form == RelocationType::Form::kBranch) {
    set_bits(word, 16, 8, address >> 2);
    set_bits(word, type.position, type.width, address >> 10);
  } else {
    set_bits(word, type.position, type.width, field(address, type));
  }
}

void patch(std::vector<std::uint8_t>& bytes, std::uint64_t offset, const RelocationType& type, std::uint64_t address) {
  const std::uint64_t value = type.form == RelocationType::Form::kClear ? 0 : field(address, type);
  std::memcpy(bytes.data() + offset, &value, type.width / 8);
}

std::vector<std::uint8_t>* bytes_of(Module& module, const Placement& place) {
  switch (place.space) {
    case Space::kGlobals:
      return &module.globals;
    case Space::kBank0:
      return &module.functions[place.function].bank0;
    case Space::kBank2:
      return &module.functions[place.function].bank2;
    case Space::kBank3:
      return &module.bank3;
    case Space::kBank4:
      return &module.bank4;
    default:
      return nullptr;
  }
}

// The part of an address that a type writes, for those that wait.
std::optional<GlobalRelocation> waiting(const Placement& place, const RelocationType& type) {
  using Where = GlobalRelocation::Where;
  using Part = GlobalRelocation::Part;
  if (type.form != RelocationType::Form::kBits) return std::nullopt;
  GlobalRelocation result{.function = place.function};
  switch (place.space) {
    case Space::kCode:
      result.where = Where::kCode;
      break;
    case Space::kGlobals:
      result.where = Where::kGlobals;
      break;
    case Space::kBank2:
      result.where = Where::kBank2;
      break;
    case Space::kBank3:
      result.where = Where::kBank3;
      break;
    case Space::kBank4:
      result.where = Where::kBank4;
      break;
    default:
      return std::nullopt;
  }
  if (place.space == Space::kCode && (type.position != 32 || type.width != 32)) return std::nullopt;
  if (type.width == 64)
    result.part = Part::kFull64;
  else if (type.width == 32)
    result.part = type.drop == 32 ? Part::kHigh32 : Part::kLow32;
  else
    result.part = Part::kByte;
  result.shift = type.drop;
  return result;
}

Result<void> apply(Loading& loading, const ElfRelocation& relocation, const ElfSection& section) {
  Module& module = loading.module;
  const Placement& place = loading.placements[relocation.section];
  const RelocationType* type = find_relocation(relocation.type);
  const auto& symbol = loading.elf.symbols[relocation.symbol];
  if (!type)
    return input_error("{}: {} at {:#x} (for {}) is of type {}, which lanescope does not know", module.origin,
                       section.name, relocation.offset, symbol.name, relocation.type);
  if (type->width == 0) return {};
  const bool in_code = place.space == Space::kCode;
  std::vector<std::uint8_t>* bytes = bytes_of(module, place);
  const std::uint64_t offset = place.base + relocation.offset;
  const bool fits = in_code ? type->position >= 16 && relocation.offset % kInstructionBytes == 0
                            : bytes && type->position == 0 && slice(*bytes, offset, type->width / 8).has_value();
  if (!fits)
    return input_error("{}: {} at {:#x} (for {}) is a {}, which does not fit there", module.origin, section.name,
                       relocation.offset, symbol.name, type->name);
  Target target;
  if (type->form != RelocationType::Form::kClear) {
    ElfRelocation whole = relocation;
    if (relocation.in_place)
      whole.addend = static_cast<std::int64_t>(in_code ? stored_addend(module.code[offset / kInstructionBytes], *type)
                                                       : stored_addend(*bytes, offset, *type));
    const auto resolved = resolve(loading, whole, section);
    if (!resolved) return tl::unexpected(resolved.error());
    target = *resolved;
  }
  if (target.waits) {
    auto later = waiting(place, *type);
    if (!later)
      return input_error("{}: {} at {:#x} wants the address of {} as a {}, which lanescope does not do", module.origin,
                         section.name, relocation.offset, symbol.name, type->name);
    later->target = target.space;
    later->offset = offset;
    later->addend = target.value;
    module.relocations.push_back(*later);
  } else if (in_code) {
    patch(module.code[offset / kInstructionBytes], *type, target.value);
  } else {
    patch(*bytes, offset, *type, target.value);
  }
  return {};
}

Result<void> relocate(Loading& loading) {
  for (const ElfSection& section : loading.elf.sections) {
    if (section.header.sh_type != SHT_RELA && section.header.sh_type != SHT_REL) continue;
    if (section.header.sh_info >= loading.placements.size() ||
        loading.placements[section.header.sh_info].space == Space::kNone)
      continue;
    const auto relocations = read_relocations(loading.elf, section, loading.module.origin);
    if (!relocations) return tl::unexpected(relocations.error());
    for (const ElfRelocation& relocation : *relocations)
      if (auto done = apply(loading, relocation, section); !done) return done;
  }
  return {};
}

// Source lines are not needed to run: when they can't be read, that is a warning.
void load_lines(Loading& loading) {
  Module& module = loading.module;
  LineSections lines;
  for (const ElfSection& section : loading.elf.sections) {
    if (section.name == ".debug_line") lines.line = section.data;
    if (section.name == ".debug_str") lines.str = section.data;
    if (section.name == ".debug_line_str") lines.line_str = section.data;
  }
  if (lines.line.empty()) return;
  for (const ElfSection& section : loading.elf.sections) {
    if (section.header.sh_type != SHT_RELA && section.header.sh_type != SHT_REL) continue;
    if (section.header.sh_info >= loading.elf.sections.size() ||
        loading.elf.sections[section.header.sh_info].name != ".debug_line")
      continue;
    const auto relocations = read_relocations(loading.elf, section, module.origin);
    if (!relocations) {
      module.warnings.push_back(relocations.error().message);
      return;
    }
    for (const ElfRelocation& relocation : *relocations) {
      const ElfSymbol& symbol = loading.elf.symbols[relocation.symbol];
      if (symbol.section >= loading.placements.size()) continue;
      const Placement& place = loading.placements[symbol.section];
      if (place.space != Space::kCode) continue;
      const std::uint64_t address = place.base + symbol.value + static_cast<std::uint64_t>(relocation.addend);
      lines.addresses.push_back({.place = relocation.offset, .instruction = address / kInstructionBytes});
    }
  }
  std::sort(lines.addresses.begin(), lines.addresses.end(),
            [](const LineAddress& a, const LineAddress& b) { return a.place < b.place; });
  if (auto done = read_lines(lines, module); !done) module.warnings.push_back(done.error().message);
}

// The debug section holds the PTX's lines, each ended by a NUL.
std::string ptx_text(Bytes section) {
  std::string text(section.begin(), section.end());
  std::replace(text.begin(), text.end(), '\0', '\n');
  return text;
}

Result<void> check_header(const ElfView& elf, Module& module) {
  const Elf64_Ehdr& header = elf.header;
  if (header.e_machine != kMachineCuda)
    return input_error("{}: an ELF file for machine {}, not a cubin (machine {})", module.origin, header.e_machine,
                       kMachineCuda);
  module.sm = header.e_ident[EI_ABIVERSION] >= kNewFlagsAbi ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff;
  if (module.sm < 70)
    return input_error("{}: compiled for sm_{}: lanescope reads sm_75 and later; compile with -arch=sm_80 or later",
                       module.origin, module.sm);
  if (header.e_type == ET_REL)
    return input_error("{}: a relocatable cubin, not linked: link it first (nvcc -dlink, or without -rdc=true)",
                       module.origin);
  return {};
}

}  // namespace

const Function* Module::find(std::string_view mangled) const {
  for (const Function& function : functions)
    if (function.name == mangled) return &function;
  return nullptr;
}

const Function* Module::function_at(std::uint32_t instruction) const {
  const auto after_it = std::upper_bound(functions.begin(), functions.end(), instruction,
                                         [](std::uint32_t index, const Function& f) { return index < f.first; });
  if (after_it == functions.begin()) return nullptr;
  const Function& function = *std::prev(after_it);
  return instruction - function.first < function.count ? &function : nullptr;
}

const External* Module::external_at(std::uint64_t code_address) const {
  for (const External& external : externals)
    if (external.address == code_address) return &external;
  return nullptr;
}

Result<Module> load_cubin(Bytes cubin, std::string origin, const Limits& limits) {
  Module module;
  module.origin = std::move(origin);
  const auto elf = read_elf(cubin, module.origin);
  if (!elf) return tl::unexpected(elf.error());
  if (auto done = check_header(*elf, module); !done) return tl::unexpected(done.error());
  Loading loading{*elf, limits, module, std::vector<Placement>(elf->sections.size()), {}};
  if (auto done = lay_out_code(loading); !done) return tl::unexpected(done.error());
  if (auto done = place_data(loading); !done) return tl::unexpected(done.error());
  name_variables(loading);
  if (auto done = relocate(loading); !done) return tl::unexpected(done.error());
  load_lines(loading);
  if (const ElfSection* text = elf->find(".nv_debug_ptx_txt"); text && !text->data.empty())
    attach_ptx(module, ptx_text(text->data));
  return module;
}

void place_globals(Module& module, std::uint64_t globals, std::uint64_t bank3) {
  using Where = GlobalRelocation::Where;
  using Part = GlobalRelocation::Part;
  module.bank3_address = bank3;
  for (const GlobalRelocation& relocation : module.relocations) {
    const bool constant = relocation.target == GlobalRelocation::Target::kBank3;
    const std::uint64_t address = (constant ? bank3 : globals) + relocation.addend;
    const std::uint64_t value = address >> relocation.shift;
    if (relocation.where == Where::kCode) {
      set_bits(module.code[relocation.offset / kInstructionBytes], 32, 32, value);
      continue;
    }
    std::vector<std::uint8_t>* bytes = relocation.where == Where::kBank2 ? &module.functions[relocation.function].bank2
                                       : relocation.where == Where::kBank3 ? &module.bank3
                                       : relocation.where == Where::kBank4 ? &module.bank4
                                                                           : &module.globals;
    const std::size_t width = relocation.part == Part::kFull64 ? 8 : relocation.part == Part::kByte ? 1 : 4;
    std::memcpy(bytes->data() + relocation.offset, &value, width);
  }
}

}  // namespace lanescope::loader
