#include "runtime/modules.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/variables.h"
#include "loader/choose.h"
#include "runtime/ptx.h"
#include "runtime/state.h"

namespace lanescope::runtime {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
// More than any header of a fatbin or cubin: what image_bytes looks at before it knows the size.
constexpr std::size_t kHeaderBytes = 64;

cudaError_t fail(Runtime& rt, Image& image, cudaError_t error, const std::string& message) {
  image.failure = error;
  say(message);
  rt.spool.note(message);
  return error;
}

Result<std::vector<loader::FatbinEntry>> read_entries(const Image& image) {
  if (!image.file.empty()) return loader::read_program(image.file, image.origin);
  std::vector<loader::FatbinEntry> entries;
  for (const void* start : image.fatbins) {
    const Bytes bytes = image_bytes(start);
    auto part = bytes.size() >= 4 && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0
                    ? loader::read_program(bytes, image.origin)
                    : loader::read_fatbin(bytes, image.origin);
    if (!part) return part;
    entries.insert(entries.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
  }
  return entries;
}

using Refusal = std::pair<cudaError_t, std::string>;

tl::unexpected<Refusal> refuse(cudaError_t error, std::string message) {
  return tl::unexpected(Refusal{error, std::move(message)});
}

std::string to_text(const loader::FatbinEntry& ptx) { return {ptx.data.begin(), ptx.data.end()}; }

// Machine code for the modelled chip: the image's own, or else what ptxas makes of its PTX.
tl::expected<loader::Module, Refusal> load_module(Runtime& rt, const Image& image,
                                                  std::span<const loader::FatbinEntry> entries) {
  const std::uint32_t sm = rt.options.sm;
  const loader::FatbinEntry* entry = loader::choose_entry(entries, sm);
  const loader::FatbinEntry* ptx = loader::choose_ptx(entries, entry == nullptr ? sm : entry->sm);
  std::vector<std::uint8_t> assembled;
  if (entry == nullptr) {
    const std::string lacks = fmt::format("{} has no machine code for sm_{} (it has {})", image.origin, sm,
                                          loader::list_architectures(entries));
    auto cubin = ptx == nullptr ? input_error("there is no PTX to make it from") : assemble(to_text(*ptx), sm);
    if (!cubin)
      return refuse(cudaErrorNoKernelImageForDevice,
                    fmt::format("{}, and {}: compile it with nvcc -arch=sm_{}", lacks, cubin.error().message, sm));
    rt.spool.note(lacks + ": ptxas made it from the PTX, and another version of ptxas may make other code");
    assembled = std::move(*cubin);
  }
  auto module = loader::load_cubin(entry == nullptr ? Bytes(assembled) : Bytes(entry->data), image.origin);
  if (!module) return refuse(cudaErrorInvalidKernelImage, module.error().message);
  if (ptx != nullptr) loader::attach_ptx(*module, to_text(*ptx));
  return std::move(*module);
}

// Device addresses for the image's variables, with their initial values.
bool place_variables(engine::DeviceMemory& memory, Image& image) {
  const bool managed = std::any_of(image.variables.begin(), image.variables.end(),
                                   [](const auto& variable) { return variable->managed; });
  const auto kind = managed ? engine::AllocationKind::kManaged : engine::AllocationKind::kDevice;
  const auto placed = engine::place_variables(*image.module, memory, kind);
  if (!placed) return false;
  image.globals = placed->globals;
  image.constants = placed->constants;
  return true;
}

void fill_managed_pointers(const Image& image) {
  for (const auto& variable : image.variables) {
    DeviceRange range;
    if (variable->managed && find_variable(image, variable->name, range)) {
      *variable->managed_pointer = reinterpret_cast<void*>(range.address);
    }
  }
}

void find_functions(Image& image) {
  for (const auto& kernel : image.kernels) kernel->function = image.module->find(kernel->name);
}

}  // namespace

Bytes image_bytes(const void* start) {
  const auto* bytes = static_cast<const std::uint8_t*>(start);
  const Bytes header(bytes, kHeaderBytes);
  if (*read_at<std::uint32_t>(header, 0) == kFatbinMagic) {
    // Header: magic, version (16 bits), header's size (16 bits), size of the entries (64 bits).
    return Bytes(bytes, *read_at<std::uint16_t>(header, 6) + *read_at<std::uint64_t>(header, 8));
  }
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) return {};
  const auto elf = *read_at<Elf64_Ehdr>(header, 0);
  const std::uint64_t sections_end = elf.e_shoff + std::uint64_t{elf.e_shnum} * elf.e_shentsize;
  const std::uint64_t segments_end = elf.e_phoff + std::uint64_t{elf.e_phnum} * elf.e_phentsize;
  return Bytes(bytes, std::max(sections_end, segments_end));
}

cudaError_t load(Runtime& rt, Image& image) {
  if (image.loaded || image.failure != cudaSuccess) return image.failure;
  engine::DeviceMemory* memory = rt.device_memory();
  if (memory == nullptr) return cudaErrorMemoryAllocation;

  const auto entries = read_entries(image);
  if (!entries) return fail(rt, image, cudaErrorInvalidKernelImage, entries.error().message);
  auto module = load_module(rt, image, *entries);
  if (!module) return fail(rt, image, module.error().first, module.error().second);
  image.module = std::make_unique<loader::Module>(std::move(*module));
  for (const std::string& warning : image.module->warnings) rt.spool.note(warning);
  if (!place_variables(*memory, image)) {
    unload(rt, image);
    return cudaErrorMemoryAllocation;
  }
  auto program = engine::Program::create(*image.module);
  if (!program) {
    unload(rt, image);
    return fail(rt, image, cudaErrorInvalidKernelImage, program.error().message);
  }
  image.program = std::move(*program);
  find_functions(image);
  image.loaded = true;
  fill_managed_pointers(image);
  return cudaSuccess;
}

void unload(Runtime& rt, Image& image) {
  // A forked child that exits must not touch the memory that it shares with its parent.
  const bool ours = rt.memory != nullptr && rt.context_process == getpid();
  for (std::uint64_t* address : {&image.globals, &image.constants}) {
    if (*address != 0 && ours) rt.memory->release(*address);
    *address = 0;
  }
  for (const auto& kernel : image.kernels) kernel->function = nullptr;
  image.program.reset();
  image.module.reset();
  image.loaded = false;
  image.failure = cudaSuccess;
}

cudaError_t find_kernel(Runtime& rt, const void* function, Kernel*& kernel) {
  const std::lock_guard lock(rt.mutex);
  kernel = nullptr;
  if (const auto stub = rt.kernels_by_stub.find(function); stub != rt.kernels_by_stub.end()) {
    kernel = stub->second;
  } else if (rt.kernels.contains(function)) {
    kernel = static_cast<Kernel*>(const_cast<void*>(function));
  }
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (const cudaError_t error = load(rt, *kernel->image); error != cudaSuccess) return error;
  return kernel->function == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

bool find_variable(const Image& image, std::string_view name, DeviceRange& range) {
  const auto& variables = image.module->variables;
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  if (found == variables.end()) return false;
  range = {(found->constant ? image.constants : image.globals) + found->offset, found->size};
  return true;
}

Kernel* add_kernel(Runtime& rt, Image& image, const std::string& name) {
  for (const auto& kernel : image.kernels) {
    if (kernel->name == name) return kernel.get();
  }
  const loader::Function* function = image.loaded ? image.module->find(name) : nullptr;
  if (image.loaded && (function == nullptr || !function->is_kernel)) return nullptr;
  Kernel* kernel = image.kernels.emplace_back(std::make_unique<Kernel>(Kernel{&image, name, function})).get();
  rt.kernels.insert(kernel);
  return kernel;
}

void refresh_constants(Runtime& rt, Image& image) {
  if (image.constants == 0) return;
  const auto bank = image.program->bank3();
  const std::size_t bytes = std::min(bank.size(), image.module->bank3.size());
  if (bytes != 0) std::memcpy(bank.data(), rt.memory->view(image.constants, bytes), bytes);
}

}  // namespace lanescope::runtime
