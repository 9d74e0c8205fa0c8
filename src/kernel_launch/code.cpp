#include "kernel_launch/code.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "kernel_launch/signature.h"
#include "launcher/child.h"
#include "launcher/compile.h"
#include "launcher/files.h"
#include "launcher/program.h"
#include "loader/choose.h"

namespace lanescope::kernel_launch {
namespace {

using Kind = loader::FatbinEntry::Kind;

// Runs a tool of the CUDA toolkit, whose messages go to standard error, and reads what it made.
Result<std::vector<std::uint8_t>> make_with(const std::string& name, std::vector<std::string> arguments,
                                            const std::string& source, const std::string& made) {
  const auto tool = launcher::find_tool(name);
  if (!tool)
    return input_error("{}: {}: install the CUDA toolkit, or compile it to a cubin elsewhere", source,
                       tool.error().message);
  arguments.insert(arguments.begin(), name);
  const auto end = launcher::run_child({*tool, std::move(arguments), {}});
  if (!end) return tl::unexpected(end.error());
  if (end->code != 0) return input_error("{}: {} could not compile it (exit code {})", source, name, end->code);
  return launcher::read_file(made);
}

// "sm_90a" of the PTX's .target line, or nothing.
std::string_view target_of(std::string_view ptx) {
  std::size_t at = ptx.find(".target");
  at = at == std::string_view::npos ? at : ptx.find("sm_", at);
  if (at == std::string_view::npos) return {};
  return ptx.substr(at, ptx.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz_", at) - at);
}

std::uint32_t number_of(std::string_view arch) {
  std::uint32_t sm = 0;
  if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), sm);
  return sm;
}

// With PTX beside the machine code, which has the names of shared arrays and the parameters' types.
Result<std::vector<std::uint8_t>> compile(const CodeRequest& request) {
  if (!std::filesystem::is_regular_file(request.file)) return input_error("{}: no such file", request.file);
  const auto folder = launcher::TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  std::string sm = request.arch.empty() ? fmt::format("{}", launcher::runnable_architectures().back()) : request.arch;
  if (sm.starts_with("sm_")) sm.erase(0, 3);
  const std::string made = folder->path() + "/code.fatbin";
  std::vector<std::string> arguments = {"-fatbin", "-lineinfo", "-gencode",
                                        fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", sm)};
  arguments.insert(arguments.end(), request.nvcc_flags.begin(), request.nvcc_flags.end());
  arguments.insert(arguments.end(), {"-o", made, request.file});
  return make_with("nvcc", std::move(arguments), request.file, made);
}

Result<std::vector<std::uint8_t>> assemble(const loader::FatbinEntry& ptx, std::uint32_t sm,
                                           const std::string& origin) {
  const auto folder = launcher::TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const std::string text(ptx.data.begin(), ptx.data.end());
  const std::string source = folder->path() + "/code.ptx", made = folder->path() + "/code.cubin";
  if (auto ok = launcher::write_file(source, text); !ok) return tl::unexpected(ok.error());
  // PTX for sm_90a becomes code for sm_90a only.
  const std::string_view target = target_of(text);
  const std::string arch = number_of(target) == sm ? std::string(target) : fmt::format("sm_{}", sm);
  return make_with("ptxas", {"-arch=" + arch, "-lineinfo", source, "-o", made}, origin, made);
}

Result<std::optional<std::uint32_t>> wanted_sm(const CodeRequest& request) {
  if (request.arch.empty()) return std::nullopt;
  const auto sm = launcher::parse_architecture(request.arch);
  if (!sm) return tl::unexpected(sm.error());
  return *sm;
}

struct Choice {
  const loader::FatbinEntry* code = nullptr;
  const loader::FatbinEntry* ptx = nullptr;
  std::uint32_t sm = 0;
};

// The newest chip that can run what there is, by machine code or else by PTX.
Choice choose(const std::vector<loader::FatbinEntry>& entries, std::optional<std::uint32_t> wanted) {
  const auto chips = launcher::runnable_architectures();
  for (const bool by_ptx : {false, true}) {
    for (auto chip = chips.rbegin(); chip != chips.rend(); ++chip) {
      if (wanted && *wanted != *chip) continue;
      const auto* code = by_ptx ? nullptr : loader::choose_entry(entries, *chip);
      const auto* ptx = loader::choose_ptx(entries, code == nullptr ? *chip : code->sm);
      if (by_ptx ? ptx != nullptr : code != nullptr) return {code, ptx, *chip};
    }
  }
  return {};
}

std::string shape_text(const std::uint32_t (&shape)[3]) {
  return fmt::format("{}x{}x{}", shape[0], shape[1], shape[2]);
}

std::string resources_of(const loader::Function& kernel) {
  std::string text = fmt::format("{} registers, {} bytes of shared memory", kernel.registers, kernel.static_shared);
  if (kernel.local_bytes != 0)
    text += fmt::format(", {}{} bytes of stack", kernel.unbounded_stack ? "at least " : "", kernel.local_bytes);
  if (kernel.max_threads != 0) text += fmt::format(", at most {} threads", kernel.max_threads);
  if (kernel.required_block[0] != 0) text += ", blocks of " + shape_text(kernel.required_block);
  if (kernel.cluster[0] != 0) text += ", clusters of " + shape_text(kernel.cluster);
  const bool dynamic =
      std::any_of(kernel.shared_arrays.begin(), kernel.shared_arrays.end(), [](const auto& a) { return a.dynamic; });
  if (dynamic) text += ", dynamic shared memory";
  return text;
}

std::string describe(const loader::Function& kernel, const std::string& ptx) {
  std::string text = fmt::format("  {}\n", kernel.demangled);
  if (kernel.demangled != kernel.name) text += fmt::format("    name        {}\n", kernel.name);
  text += fmt::format("    resources   {}\n", resources_of(kernel));
  const auto types = parameter_types(kernel, ptx);
  if (types.empty()) return text + "    parameters  none\n";
  text += "    parameters  ordinal  offset  bytes  type\n";
  for (std::size_t i = 0; i < types.size(); ++i) {
    const loader::Parameter& parameter = kernel.parameters[i];
    text += fmt::format("                {:7}  {:6}  {:5}  {}\n", parameter.ordinal, parameter.offset, parameter.size,
                        types[i].text.empty() ? "not known" : types[i].text);
  }
  return text;
}

}  // namespace

Result<Code> read_code(const CodeRequest& request) {
  Code code;
  const bool source = request.file.ends_with(".cu"), ptx = request.file.ends_with(".ptx");
  auto bytes = source ? compile(request) : launcher::read_file(request.file);
  if (!bytes) return tl::unexpected(bytes.error());
  if (ptx) {
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const std::uint32_t sm = number_of(target_of(text));
    if (sm == 0) return input_error("{}: not PTX (it has no line such as .target sm_90)", request.file);
    code.entries.push_back({.kind = Kind::kPtx, .sm = sm, .data = std::move(*bytes)});
    return code;
  }
  auto entries = loader::read_program(*bytes, request.file);
  if (!entries) return tl::unexpected(entries.error());
  code.entries = std::move(*entries);
  return code;
}

Result<loader::Module> load_module(Code& code, const CodeRequest& request) {
  const auto wanted = wanted_sm(request);
  if (!wanted) return tl::unexpected(wanted.error());
  const Choice choice = choose(code.entries, *wanted);
  if (choice.sm == 0)
    return input_error("{}: has no code for sm_{}; it has {}", request.file,
                       *wanted ? fmt::format("{}", **wanted)
                               : fmt::format("{}", fmt::join(launcher::runnable_architectures(), ", sm_")),
                       loader::list_architectures(code.entries));
  std::vector<std::uint8_t> assembled;
  if (choice.code == nullptr) {
    auto cubin = assemble(*choice.ptx, choice.sm, request.file);
    if (!cubin) return tl::unexpected(cubin.error());
    assembled = std::move(*cubin);
    code.notes.push_back(
        fmt::format("{}: ptxas made its code for sm_{} from the PTX, and another version of ptxas may make other code",
                    request.file, choice.sm));
  }
  auto module = loader::load_cubin(choice.code == nullptr ? Bytes(assembled) : Bytes(choice.code->data), request.file);
  if (!module) return module;
  if (choice.ptx != nullptr) loader::attach_ptx(*module, {choice.ptx->data.begin(), choice.ptx->data.end()});
  code.notes.insert(code.notes.end(), module->warnings.begin(), module->warnings.end());
  return module;
}

Result<std::string> list_kernels(const Code& code, const CodeRequest& request) {
  const auto wanted = wanted_sm(request);
  if (!wanted) return tl::unexpected(wanted.error());
  std::string text;
  for (const loader::FatbinEntry& entry : code.entries) {
    if (*wanted && entry.sm != **wanted) continue;
    const std::string named = entry.identifier.empty() ? "" : fmt::format(" ({})", entry.identifier);
    if (entry.kind == Kind::kPtx) {
      text += fmt::format("compute_{}{}: PTX\n", entry.sm, named);
      continue;
    }
    auto module = loader::load_cubin(entry.data, request.file);
    if (!module) return tl::unexpected(module.error());
    std::string ptx = std::move(module->ptx);
    const auto same = std::find_if(code.entries.begin(), code.entries.end(), [&](const loader::FatbinEntry& other) {
      return other.kind == Kind::kPtx && other.container == entry.container;
    });
    if (ptx.empty() && same != code.entries.end()) ptx.assign(same->data.begin(), same->data.end());
    text += fmt::format("sm_{}{}:\n", entry.sm, named);
    for (const loader::Function& function : module->functions)
      if (function.is_kernel) text += describe(function, ptx);
  }
  if (text.empty())
    return input_error("{}: has nothing for sm_{}; it has {}", request.file, wanted->value_or(0),
                       loader::list_architectures(code.entries));
  return text;
}

}  // namespace lanescope::kernel_launch
