#include "support.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lanescope::loader::test {

std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream file(std::string(LANESCOPE_TEST_DATA) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<FatbinEntry> entries_of(const std::string& path) {
  auto entries = read_program(read_file(path), path);
  if (!entries) throw std::runtime_error(entries.error().message);
  return std::move(*entries);
}

std::vector<std::uint8_t> cubin_of(const std::string& file, std::uint32_t sm) {
  for (FatbinEntry& entry : entries_of("data/loader/" + file))
    if (entry.kind == FatbinEntry::Kind::kCubin && entry.sm == sm) return std::move(entry.data);
  throw std::runtime_error(fmt::format("no cubin for sm_{} in {}", sm, file));
}

Module module_of(const std::string& file, std::uint32_t sm) {
  auto module = load_cubin(cubin_of(file, sm), fmt::format("{}, sm_{}", file, sm));
  if (!module) throw std::runtime_error(module.error().message);
  for (const FatbinEntry& entry : entries_of("data/loader/" + file))
    if (entry.kind == FatbinEntry::Kind::kPtx) attach_ptx(*module, {entry.data.begin(), entry.data.end()});
  return std::move(*module);
}

const Function& function(const Module& module, const std::string& name) {
  for (const Function& candidate : module.functions)
    if (candidate.demangled == name || candidate.demangled.starts_with(name + "(")) return candidate;
  throw std::runtime_error("no function " + name + " in " + module.origin);
}

const Variable& variable(const Module& module, const std::string& name) {
  for (const Variable& candidate : module.variables)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no variable " + name + " in " + module.origin);
}

}  // namespace lanescope::loader::test
