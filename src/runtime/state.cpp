#include "runtime/state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/host_faults.h"

namespace lanescope::runtime {
namespace {

const char* environment(const char* name) { return std::getenv(name); }

constexpr std::uint32_t kFallbackSm = 90;

}  // namespace

Runtime::Runtime() : options(read_options(environment)), chip(find_chip(options.sm)), properties() {
  if (chip == nullptr) {
    options.warnings.push_back(
        fmt::format("LANESCOPE_SM={} is not an architecture that is modelled, so {} is used", options.sm, kFallbackSm));
    chip = find_chip(kFallbackSm);
    options.sm = kFallbackSm;
  }
  properties = device_properties(*chip, options.memory != 0 ? options.memory : chip->memory_bytes);
  spool.open(options.spool, options.sm, std::string(chip->arch->chip.name));
  for (const std::string& warning : options.warnings) {
    say(warning);
    spool.note(warning);
  }
}

engine::DeviceMemory* Runtime::device_memory() {
  if (memory == nullptr) {
    auto created = engine::DeviceMemory::create(properties.totalGlobalMem);
    if (!created) {
      say(created.error().message);
      return nullptr;
    }
    memory = std::move(*created);
    context_process = getpid();
    explain_host_faults();
  }
  return memory.get();
}

Runtime& runtime() {
  static Runtime* const instance = new Runtime;
  return *instance;
}

void say(const std::string& message) {
  const std::string line = "lanescope: " + message + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lanescope::runtime
