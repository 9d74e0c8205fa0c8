#include "kernel_launch/run.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/launch.h"
#include "engine/variables.h"
#include "isa/arch.h"
#include "kernel_launch/bind.h"
#include "kernel_launch/outputs.h"
#include "report/build.h"
#include "report/measure.h"

namespace lanescope::kernel_launch {
namespace {

// Address space for buffers: about what the largest GPU has. Pages come when they are touched.
constexpr std::uint64_t kDeviceBytes = std::uint64_t{128} << 30;

// A file's size in this process: filling more than the machine has would end it without a word.
Result<void> check_host_memory(const Plan& plan) {
  const auto host =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t touched = 0;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.buffer.fill.kind != Fill::Kind::kZeros) touched += buffer.bytes();
    if (touched > host)
      return usage_error("{}: with {} bytes the buffers need more memory than this machine has ({} bytes)",
                         buffer.where, buffer.bytes(), host);
  }
  return {};
}

Result<void> allocate(Plan& plan, engine::DeviceMemory& memory) {
  for (PlannedBuffer& buffer : plan.buffers) {
    const auto address = memory.allocate(buffer.bytes());
    if (!address) return usage_error("{}: {}", buffer.where, address.error().message);
    buffer.address = *address;
    if (buffer.bytes() == 0) continue;
    const std::span<std::uint8_t> bytes(memory.view(buffer.address, buffer.bytes()), buffer.bytes());
    if (auto ok = fill(buffer.buffer, buffer.contents, buffer.names, bytes); !ok)
      return usage_error("{}: {}", buffer.where, ok.error().message);
    buffer.contents.file = {};
  }
  return {};
}

Bytes bytes_of(const PlannedBuffer& buffer, const engine::DeviceMemory& memory) {
  if (buffer.bytes() == 0) return {};
  return {memory.view(buffer.address, buffer.bytes()), buffer.bytes()};
}

engine::Dim3 to_engine(const std::uint32_t (&shape)[3]) { return {shape[0], shape[1], shape[2]}; }

// What a GPU refuses beside what the engine checks itself.
Result<void> check_limits(const PlannedLaunch& launch, const isa::Arch& arch) {
  const loader::Function& kernel = *launch.kernel;
  const PlannedShape& shape = launch.shape;
  const std::uint64_t threads = to_engine(shape.block).count();
  if (kernel.max_threads != 0 && threads > kernel.max_threads)
    return usage_error("{}: a block of {} threads is more than its __launch_bounds__ allow ({})", kernel.demangled,
                       threads, kernel.max_threads);
  const auto& required = kernel.required_block;
  if (required[0] != 0 && !std::equal(std::begin(required), std::end(required), std::begin(shape.block)))
    return usage_error("{}: it was compiled for blocks of {}x{}x{} threads", kernel.demangled, required[0], required[1],
                       required[2]);
  for (int i = 0; i < 3; ++i)
    if (shape.grid[i] % shape.cluster[i] != 0)
      return usage_error("{}: the grid is no multiple of the cluster ({} and {} in {})", kernel.demangled,
                         shape.grid[i], shape.cluster[i], "xyz"[i]);
  if (threads > arch.max_threads_per_block) return {};  // the engine says it
  if (report::occupancy_of(arch, kernel, static_cast<std::uint32_t>(threads), 0).theoretical_warps == 0)
    return usage_error("{}: {} threads of {} registers are more than sm_{} has registers for", kernel.demangled,
                       threads, kernel.registers, arch.sm);
  return {};
}

struct Session {
  const Job& job;
  const loader::Module& module;
  const isa::Arch& arch;
  const RunOptions& options;
  engine::DeviceMemory& memory;
  engine::Program& program;
};

Result<engine::LaunchResult> run_launch(const Session& session, const Plan& plan, std::size_t index, Outcome& outcome) {
  const PlannedLaunch& planned = plan.launches[index];
  const auto parameters = parameter_bytes(plan, planned, session.job.launches[index], session.module);
  if (!parameters) return tl::unexpected(parameters.error());
  engine::LaunchRequest request;
  request.kernel = planned.kernel;
  request.grid = to_engine(planned.shape.grid);
  request.block = to_engine(planned.shape.block);
  request.cluster = to_engine(planned.shape.cluster);
  request.dynamic_shared = planned.shape.shared;
  request.parameters = *parameters;
  request.cooperative = session.job.launches[index].shape.cooperative;
  request.memory = &session.memory;

  report::Measurement measurement(session.module, *planned.kernel);
  engine::LaunchOptions options;
  options.threads = session.options.threads;
  options.deterministic = session.options.deterministic;
  options.max_instructions = session.options.max_instructions;
  options.observe = [&](unsigned) { return measurement.add_worker(); };
  auto result = engine::launch(session.program, request, options);
  if (!result) return result;
  report::Launch launch = report::build_launch(session.module, request, *result, measurement.total());
  launch.id = index + 1;
  launch.occupancy = report::occupancy_of(session.arch, *planned.kernel,
                                          static_cast<std::uint32_t>(request.block.count()), request.dynamic_shared);
  outcome.report.launches.push_back(std::move(launch));
  return result;
}

void note_unsupported(const Session& session, const Plan& plan, Outcome& outcome) {
  std::vector<const loader::Function*> seen;
  for (const PlannedLaunch& launch : plan.launches) {
    if (std::find(seen.begin(), seen.end(), launch.kernel) != seen.end()) continue;
    seen.push_back(launch.kernel);
    if (auto note = report::note_unsupported(session.program, *launch.kernel))
      outcome.report.notes.push_back(std::move(*note));
  }
}

Result<void> run_launches(const Session& session, const Plan& plan, Outcome& outcome) {
  note_unsupported(session, plan, outcome);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const auto result = run_launch(session, plan, i, outcome);
    if (!result) return tl::unexpected(result.error());
    if (!result->stop) continue;
    outcome.stopped = result->stop->message;
    if (result->stop->reason == engine::StopReason::kUnsupported) outcome.report.problems.push_back(outcome.stopped);
    break;
  }
  return {};
}

Result<void> save(const std::string& path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.flush();
  if (!file) return input_error("{} cannot be written", path);
  return {};
}

// Files that are compared with are read, and buffers looked up, before anything runs.
struct PlannedOutputs {
  std::vector<const PlannedBuffer*> print, save, compare;
  std::vector<std::vector<std::uint8_t>> expected;
};

Result<PlannedOutputs> plan_outputs(const Outputs& outputs, const Plan& plan) {
  PlannedOutputs planned;
  const auto add = [&](const auto& wishes, std::vector<const PlannedBuffer*>& to) -> Result<void> {
    for (const auto& wish : wishes) {
      const auto buffer = find_buffer(plan, wish.buffer);
      if (!buffer) return tl::unexpected(buffer.error());
      to.push_back(*buffer);
    }
    return {};
  };
  const auto print = add(outputs.print, planned.print), saved = add(outputs.save, planned.save),
             compared = add(outputs.compare, planned.compare);
  for (const auto* ok : {&print, &saved, &compared})
    if (!*ok) return tl::unexpected(ok->error());
  for (const Compare& wish : outputs.compare) {
    auto bytes = read_bytes(wish.path);
    if (!bytes) return tl::unexpected(bytes.error());
    planned.expected.push_back(std::move(*bytes));
  }
  return planned;
}

Result<void> put_out(const Outputs& outputs, const PlannedOutputs& planned, const engine::DeviceMemory& memory,
                     Outcome& outcome) {
  for (std::size_t i = 0; i < outputs.print.size(); ++i) {
    const auto text = print(outputs.print[i], *planned.print[i], bytes_of(*planned.print[i], memory));
    if (!text) return tl::unexpected(text.error());
    outcome.printed += *text;
  }
  for (std::size_t i = 0; i < outputs.save.size(); ++i)
    if (auto ok = save(outputs.save[i].path, bytes_of(*planned.save[i], memory)); !ok) return ok;
  for (std::size_t i = 0; i < outputs.compare.size(); ++i) {
    auto mismatch =
        compare(outputs.compare[i], *planned.compare[i], bytes_of(*planned.compare[i], memory), planned.expected[i]);
    if (!mismatch) return tl::unexpected(mismatch.error());
    if (*mismatch) outcome.mismatches.push_back(std::move(**mismatch));
  }
  return {};
}

}  // namespace

Result<Outcome> run(const Job& job, loader::Module module, const RunOptions& options) {
  const isa::Arch* arch = isa::find_arch(module.sm);
  if (arch == nullptr) return input_error("{}: sm_{} is not an architecture that can be run", module.origin, module.sm);
  auto plan = make_plan(job, module);
  if (!plan) return tl::unexpected(plan.error());
  for (const PlannedLaunch& launch : plan->launches)
    if (auto ok = check_limits(launch, *arch); !ok) return tl::unexpected(ok.error());
  const auto outputs = plan_outputs(job.outputs, *plan);
  if (!outputs) return tl::unexpected(outputs.error());
  if (auto ok = check_host_memory(*plan); !ok) return tl::unexpected(ok.error());

  const auto memory = engine::DeviceMemory::create(kDeviceBytes);
  if (!memory) return tl::unexpected(memory.error());
  const auto placed = engine::place_variables(module, **memory);
  if (!placed) return tl::unexpected(placed.error());
  if (auto ok = allocate(*plan, **memory); !ok) return tl::unexpected(ok.error());
  const auto program = engine::Program::create(module);
  if (!program) return tl::unexpected(program.error());

  Outcome outcome;
  outcome.report.sm = module.sm;
  outcome.report.chip = arch->chip.name;
  outcome.report.process = getpid();
  const Session session{job, module, *arch, options, **memory, **program};
  if (auto ok = run_launches(session, *plan, outcome); !ok) return tl::unexpected(ok.error());
  if (!outcome.stopped.empty()) return outcome;
  if (auto ok = put_out(job.outputs, *outputs, **memory, outcome); !ok) return tl::unexpected(ok.error());
  return outcome;
}

}  // namespace lanescope::kernel_launch
