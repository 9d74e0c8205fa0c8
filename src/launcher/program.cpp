#include "launcher/program.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "loader/elf_view.h"
#include "loader/fatbin.h"

namespace lanescope::launcher {
namespace {

constexpr std::uint32_t kRunnable[] = {90};
constexpr std::string_view kCudart = "libcudart.so.";

std::string_view name_at(const loader::ElfView& elf, const loader::ElfSection& section, std::uint64_t offset) {
  const std::uint32_t strings = section.header.sh_link;
  if (strings >= elf.sections.size()) return {};
  return loader::string_at(elf.sections[strings].data, offset).value_or(std::string_view());
}

// The major version in the name of a needed library, or 0.
int needed_cudart(const loader::ElfView& elf) {
  for (const loader::ElfSection& section : elf.sections) {
    if (section.header.sh_type != SHT_DYNAMIC) continue;
    for (std::uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(section.data, at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag != DT_NEEDED) continue;
      const std::string_view name = name_at(elf, section, entry->d_un.d_val);
      if (!name.starts_with(kCudart)) continue;
      int version = 0;
      std::from_chars(name.data() + kCudart.size(), name.data() + name.size(), version);
      return version;
    }
  }
  return 0;
}

// Registration of kernels comes from a shared library: the program's own, or one that it links.
bool imports_registration(const loader::ElfView& elf) {
  for (const loader::ElfSection& section : elf.sections) {
    if (section.header.sh_type != SHT_DYNSYM) continue;
    for (std::uint64_t at = 0;; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(section.data, at);
      if (!symbol) break;
      if (symbol->st_shndx == SHN_UNDEF && name_at(elf, section, symbol->st_name) == "__cudaRegisterFatBinary")
        return true;
    }
  }
  return false;
}

void add_once(std::vector<std::uint32_t>& values, std::uint32_t value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) values.insert(at, value);
}

std::string list(const Program& program) {
  std::vector<std::string> names;
  for (const std::uint32_t sm : program.sm) names.push_back(fmt::format("sm_{}", sm));
  for (const std::uint32_t sm : program.compute) names.push_back(fmt::format("compute_{} (PTX)", sm));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

// Machine code runs on its own architecture and on later minor versions of it.
bool runs_on(std::uint32_t code, std::uint32_t chip) { return code / 10 == chip / 10 && code <= chip; }

bool has_code_for(const Program& program, std::uint32_t chip) {
  return std::any_of(program.sm.begin(), program.sm.end(), [&](std::uint32_t code) { return runs_on(code, chip); });
}

bool has_ptx_for(const Program& program, std::uint32_t chip) {
  return std::any_of(program.compute.begin(), program.compute.end(), [&](std::uint32_t ptx) { return ptx <= chip; });
}

}  // namespace

std::span<const std::uint32_t> runnable_architectures() { return kRunnable; }

Result<Program> inspect_program(Bytes file, const std::string& name) {
  Program program;
  if (!loader::is_elf(file)) return program;
  const auto elf = loader::read_elf(file, name);
  if (!elf) return program;  // the system will say what is wrong with it
  program.elf = true;
  program.cudart = needed_cudart(*elf);
  if (elf->find(".nv_fatbin") == nullptr) return program;
  program.device_code = true;
  program.static_cudart = program.cudart == 0 && !imports_registration(*elf);
  if (program.static_cudart) return program;
  const auto entries = loader::read_program(file, name);
  if (!entries) return tl::unexpected(entries.error());
  for (const loader::FatbinEntry& entry : *entries)
    add_once(entry.kind == loader::FatbinEntry::Kind::kPtx ? program.compute : program.sm, entry.sm);
  return program;
}

Result<std::uint32_t> choose_architecture(const Program& program, const std::string& name,
                                          std::optional<std::uint32_t> wanted, bool have_ptxas) {
  if (!program.device_code) return wanted.value_or(0);
  if (program.static_cudart)
    return input_error(
        "{}: linked with the static CUDA runtime, which cannot be replaced. Link the shared one:\n"
        "  NVCC_APPEND_FLAGS='-cudart shared -lineinfo' make        (or: lanescope build -- make)\n"
        "  cmake -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared ...            (or: lanescope build -- cmake ...)",
        name);
  const auto chips = runnable_architectures();
  const auto newest = [&](auto has_code) -> std::uint32_t {
    const auto fits = [&](std::uint32_t chip) { return (!wanted || *wanted == chip) && has_code(program, chip); };
    const auto chip = std::find_if(chips.rbegin(), chips.rend(), fits);
    return chip == chips.rend() ? 0 : *chip;
  };
  if (const std::uint32_t chip = newest(has_code_for)) return chip;
  const std::uint32_t by_ptx = newest(has_ptx_for);
  if (by_ptx != 0 && have_ptxas) return by_ptx;
  return input_error("{}: has no machine code for sm_{}; it has {}. Compile it with nvcc -arch=sm_{}{}", name,
                     wanted ? fmt::format("{}", *wanted) : fmt::format("{}", fmt::join(chips, ", sm_")), list(program),
                     wanted.value_or(chips.back()),
                     by_ptx != 0 ? ", or install ptxas of the CUDA toolkit, which makes it of the PTX" : "");
}

Result<std::uint32_t> parse_architecture(const std::string& text) {
  std::string_view digits = text;
  if (digits.starts_with("sm_")) digits.remove_prefix(3);
  std::uint32_t sm = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sm);
  const std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
  const auto chips = runnable_architectures();
  if (error != std::errc() || (!rest.empty() && rest != "a"))
    return usage_error("'{}' is not an architecture such as sm_90", text);
  if (std::find(chips.begin(), chips.end(), sm) == chips.end())
    return usage_error("{} cannot be run; sm_{} can", text, fmt::join(chips, ", sm_"));
  return sm;
}

}  // namespace lanescope::launcher
