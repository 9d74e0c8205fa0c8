#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <regex>

#include "report/build.h"
#include "report/measure.h"
#include "runtime/launch.h"
#include "runtime/occupancy.h"

namespace lanescope::runtime {
namespace {

std::uint64_t volume(const dim3& d) { return std::uint64_t{d.x} * d.y * d.z; }

engine::Dim3 to_engine(const dim3& d) { return {d.x, d.y, d.z}; }

cudaError_t check_cluster(const Kernel& kernel, const LaunchShape& shape) {
  constexpr std::uint64_t kPortable = 8, kLargest = 16;
  const std::uint64_t blocks = volume(shape.cluster);
  if (blocks == 1) return cudaSuccess;
  if (blocks == 0 || blocks > (kernel.non_portable_cluster ? kLargest : kPortable)) return cudaErrorInvalidClusterSize;
  const bool whole =
      shape.grid.x % shape.cluster.x == 0 && shape.grid.y % shape.cluster.y == 0 && shape.grid.z % shape.cluster.z == 0;
  return whole ? cudaSuccess : cudaErrorInvalidClusterSize;
}

cudaError_t error_of(engine::StopReason reason) {
  switch (reason) {
    case engine::StopReason::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case engine::StopReason::kMisaligned:
      return cudaErrorMisalignedAddress;
    case engine::StopReason::kAssert:
      return cudaErrorAssert;
    case engine::StopReason::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    case engine::StopReason::kInstructionLimit:
      return cudaErrorLaunchTimeout;
    case engine::StopReason::kUnsupported:
    case engine::StopReason::kTrap:
    case engine::StopReason::kDeadlock:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

// Whether this launch is one that the user wants counted.
bool wanted(Runtime& rt, const loader::Function& function) {
  if (!rt.spool.active()) return false;
  if (rt.options.kernel_filter && !std::regex_search(function.demangled, *rt.options.kernel_filter)) return false;
  const std::uint64_t index = rt.matching_launches++;
  return rt.options.count && index >= rt.options.launch_skip &&
         index - rt.options.launch_skip < rt.options.launch_count;
}

// Said once a kernel, when it first runs: it may well never execute them.
void warn_unsupported(Runtime& rt, Kernel& kernel) {
  if (kernel.warned) return;
  kernel.warned = true;
  const auto message = report::note_unsupported(*kernel.image->program, *kernel.function);
  if (!message) return;
  say(*message);
  rt.spool.note(*message);
}

engine::LaunchOptions engine_options(const Options& options, bool counted, report::Measurement& measurement) {
  engine::LaunchOptions result;
  result.threads = options.threads;
  result.profile = counted;
  result.deterministic = options.deterministic;
  result.max_instructions = options.max_instructions;
  if (counted) result.observe = [&measurement](unsigned) { return measurement.add_worker(); };
  return result;
}

cudaError_t stop(Runtime& rt, const loader::Function& function, const engine::Stop& stopped) {
  say(stopped.message);
  rt.spool.note(stopped.reason == engine::StopReason::kUnsupported
                    ? fmt::format("unsupported: {}", stopped.message)
                    : fmt::format("{} ended early: {}", function.demangled, stopped.message));
  rt.fault = error_of(stopped.reason);
  return cudaSuccess;  // as on a GPU: the launch was accepted, the next call tells
}

}  // namespace

std::size_t dynamic_shared_limit(const Runtime& rt, const Kernel& kernel) {
  if (kernel.max_dynamic_shared >= 0) return static_cast<std::size_t>(kernel.max_dynamic_shared);
  const std::uint32_t fixed = kernel.function->static_shared;
  const std::uint32_t unasked = rt.chip->arch->max_shared_per_block;
  return fixed >= unasked ? 0 : unasked - fixed;
}

cudaError_t check_shape(const Runtime& rt, const Kernel& kernel, const LaunchShape& shape) {
  const DeviceProperties& p = rt.properties;
  const auto within = [](const dim3& d, const int(&limit)[3]) {
    return d.x <= static_cast<unsigned>(limit[0]) && d.y <= static_cast<unsigned>(limit[1]) &&
           d.z <= static_cast<unsigned>(limit[2]);
  };
  const std::uint64_t threads = volume(shape.block);
  if (threads == 0 || volume(shape.grid) == 0 || !within(shape.grid, p.maxGridSize) ||
      !within(shape.block, p.maxThreadsDim) || threads > static_cast<std::uint64_t>(p.maxThreadsPerBlock))
    return cudaErrorInvalidConfiguration;
  if (shape.dynamic_shared > dynamic_shared_limit(rt, kernel)) return cudaErrorInvalidValue;
  const loader::Function& function = *kernel.function;
  if (function.max_threads != 0 && threads > function.max_threads) return cudaErrorInvalidValue;
  if (threads > static_cast<std::uint64_t>(max_threads_by_registers(rt, function)))
    return cudaErrorLaunchOutOfResources;
  const auto& required = function.required_block;
  if (required[0] != 0 &&
      (required[0] != shape.block.x || required[1] != shape.block.y || required[2] != shape.block.z))
    return cudaErrorInvalidValue;
  if (shape.cooperative) {
    const auto resident = static_cast<std::uint64_t>(
        blocks_per_multiprocessor(rt, function, static_cast<int>(threads), shape.dynamic_shared));
    if (volume(shape.grid) > resident * static_cast<std::uint64_t>(p.multiProcessorCount))
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return check_cluster(kernel, shape);
}

std::vector<std::uint8_t> parameter_bytes(const loader::Function& function, void* const* arguments) {
  std::vector<std::uint8_t> bytes(function.parameter_bytes);
  for (const loader::Parameter& parameter : function.parameters) {
    if (parameter.offset + std::uint64_t{parameter.size} <= bytes.size())
      std::memcpy(bytes.data() + parameter.offset, arguments[parameter.ordinal], parameter.size);
  }
  return bytes;
}

cudaError_t run_kernel(Runtime& rt, Kernel& kernel, const LaunchShape& shape, void* const* arguments) {
  const loader::Function& function = *kernel.function;
  if (const cudaError_t error = check_shape(rt, kernel, shape); error != cudaSuccess) return error;
  if (arguments == nullptr && !function.parameters.empty()) return cudaErrorInvalidValue;

  const std::lock_guard lock(rt.execution);
  warn_unsupported(rt, kernel);
  refresh_constants(rt, *kernel.image);
  const std::vector<std::uint8_t> parameters = parameter_bytes(function, arguments);
  engine::LaunchRequest request;
  request.kernel = &function;
  request.grid = to_engine(shape.grid);
  request.block = to_engine(shape.block);
  request.cluster = to_engine(shape.cluster);
  request.dynamic_shared = static_cast<std::uint32_t>(shape.dynamic_shared);
  request.parameters = parameters;
  request.cooperative = shape.cooperative;
  {
    const std::lock_guard settings(rt.mutex);
    request.stack_limit = static_cast<std::uint32_t>(rt.device.limit(cudaLimitStackSize));
  }
  request.memory = rt.memory.get();

  const std::uint64_t id = ++rt.launches;
  const bool counted = wanted(rt, function);
  report::Measurement measurement(*kernel.image->module, function);
  const auto result = engine::launch(*kernel.image->program, request, engine_options(rt.options, counted, measurement));
  if (!result) {
    say(result.error().message);
    return cudaErrorInvalidConfiguration;
  }
  if (counted) {
    report::Launch launch = report::build_launch(*kernel.image->module, request, *result, measurement.total());
    launch.id = id;
    launch.occupancy = report::occupancy_of(*rt.chip->arch, function, static_cast<std::uint32_t>(volume(shape.block)),
                                            request.dynamic_shared);
    rt.spool.launch(launch);
  }
  return result->stop ? stop(rt, function, *result->stop) : cudaSuccess;
}

}  // namespace lanescope::runtime
