#include "report/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "sass/instruction.h"
#include "tune/occupancy.h"

namespace lanescope::report {
namespace {

using loader::Function;
using loader::Module;

constexpr std::uint32_t kInstructionBytes = 16;
// Inlining deeper than this is a damaged line table.
constexpr int kDeepestInlining = 64;

std::string text_of(const Result<sass::Instruction>& instruction, const Word128& word) {
  return instruction ? sass::to_text(*instruction) : fmt::format(".word {:#018x}, {:#018x}", word.low, word.high);
}

bool is_memory(const isa::Row& row) {
  switch (row.memory) {
    case isa::MemoryClass::kNone:
    case isa::MemoryClass::kConstant:
      return false;
    default:
      return true;
  }
}

// The array of shared memory that holds `address`; kNoAddress: any.
std::string shared_array_of(const Function& kernel, std::uint32_t address) {
  const auto holds = [&](const loader::SharedArray& array) {
    return address == kNoAddress || (address >= array.offset && (array.dynamic || address - array.offset < array.size));
  };
  // Dynamic arrays begin at one place: two of them cannot be told apart.
  const auto found = std::count_if(kernel.shared_arrays.begin(), kernel.shared_arrays.end(), holds);
  if (found != 1) return fmt::format("shared+{:#x}", kernel.shared_base);
  return std::find_if(kernel.shared_arrays.begin(), kernel.shared_arrays.end(), holds)->name;
}

constexpr std::uint8_t kSharedSpace = 2;  // of MemoryCounts::spaces

// A retry loop runs from the target of the branch behind its ATOMS.CAST.SPIN to that branch. How often it goes round
// depends on timing, so none of its counts can be compared.
void mark_retry_loops(std::vector<InstructionRow>& rows, std::size_t first, const std::vector<std::int64_t>& targets) {
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (rows[i].text.find("CAST.SPIN") == std::string::npos) continue;
    for (std::size_t end = i; end < rows.size(); ++end) {
      const std::int64_t target = targets[end - first];
      if (target < 0 || target > rows[i].offset) continue;
      const std::size_t begin = first + static_cast<std::size_t>(target) / kInstructionBytes;
      for (std::size_t row = begin; row <= end; ++row) rows[row].timing_dependent = true;
      break;
    }
    rows[i].timing_dependent = true;
  }
}

struct Source {
  const Module& module;
  const engine::LaunchRequest& request;
  const engine::ExecutionProfile& profile;
  const Measured& measured;
};

std::uint64_t at(const std::vector<std::uint64_t>& values, std::uint32_t index) {
  return index < values.size() ? values[index] : 0;
}

InstructionRow build_row(const Source& source, const Function& function, std::uint32_t index,
                         const Result<sass::Instruction>& instruction) {
  const std::uint32_t global = function.first + index;
  InstructionRow row;
  row.offset = index * kInstructionBytes;
  row.text = text_of(instruction, source.module.code[global]);
  if (&function != source.request.kernel) row.function = function.demangled;
  row.at = positions_of(source.module, function, index);
  row.executed = at(source.profile.executed, global);
  row.threads = at(source.profile.threads, global);
  row.threads_on = at(source.profile.threads_on, global);
  row.divergent = at(source.profile.divergent, global);
  if (instruction && is_memory(*instruction->row)) {
    const auto& counts = source.measured.counts;
    const auto& addresses = source.measured.shared_addresses;
    row.memory = global < counts.size() ? counts[global] : observe::MemoryCounts{};
    if ((row.memory->spaces & kSharedSpace) != 0)
      row.shared_array =
          shared_array_of(*source.request.kernel, global < addresses.size() ? addresses[global] : kNoAddress);
  }
  return row;
}

void add_function(std::vector<InstructionRow>& rows, const Source& source, const Function& function) {
  const std::size_t first = rows.size();
  std::vector<std::int64_t> targets(function.count, -1);
  for (std::uint32_t index = 0; index < function.count; ++index) {
    const auto instruction =
        sass::decode(source.module.code[function.first + index], index * kInstructionBytes, source.module.sm);
    if (instruction && instruction->row->name.starts_with("BRA")) targets[index] = instruction->target;
    rows.push_back(build_row(source, function, index, instruction));
  }
  mark_retry_loops(rows, first, targets);
}

bool was_executed(const engine::ExecutionProfile& profile, const Function& function) {
  for (std::uint32_t index = function.first; index < function.first + function.count; ++index) {
    if (at(profile.executed, index) != 0) return true;
  }
  return false;
}

void copy_dimensions(const engine::Dim3& from, std::uint32_t (&to)[3]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

}  // namespace

std::vector<Position> positions_of(const Module& module, const Function& function, std::uint32_t index) {
  std::vector<Position> result;
  std::int32_t position = index < function.positions.size() ? function.positions[index] : -1;
  for (int depth = 0; position >= 0 && depth < kDeepestInlining; ++depth) {
    const auto number = static_cast<std::size_t>(position);
    if (number >= module.positions.size()) break;
    const loader::SourcePosition& source = module.positions[number];
    result.push_back({source.file < module.files.size() ? module.files[source.file] : std::string(), source.line});
    position = source.inlined_at;
  }
  return result;
}

Occupancy occupancy_of(const isa::Arch& arch, const Function& kernel, std::uint32_t threads,
                       std::uint32_t dynamic_shared) {
  const tune::Occupancy from = tune::occupancy(arch, {.threads = threads,
                                                      .registers = kernel.registers,
                                                      .static_shared = kernel.static_shared,
                                                      .dynamic_shared = dynamic_shared,
                                                      .barriers = kernel.barriers});
  Occupancy to;
  to.theoretical_warps = from.theoretical_warps;
  to.max_warps = from.max_warps;
  to.limit_registers = from.limit_registers;
  to.limit_shared = from.limit_shared;
  to.limit_warps = from.limit_warps;
  to.limit_blocks = from.limit_blocks;
  to.limiter = from.limiter;
  return to;
}

std::optional<std::string> note_unsupported(const engine::Program& program, const Function& kernel) {
  const auto lines = program.unsupported(kernel);
  if (lines.empty()) return std::nullopt;
  return fmt::format("{} has {} instruction{} that cannot be run yet, the first: {}", kernel.demangled, lines.size(),
                     lines.size() == 1 ? "" : "s", lines.front());
}

Launch build_launch(const Module& module, const engine::LaunchRequest& request, const engine::LaunchResult& result,
                    const Measured& measured) {
  const Function& kernel = *request.kernel;
  Launch launch;
  launch.kernel = kernel.demangled;
  launch.mangled = kernel.name;
  copy_dimensions(request.grid, launch.grid);
  copy_dimensions(request.block, launch.block);
  copy_dimensions(request.cluster, launch.cluster);
  launch.registers = kernel.registers;
  launch.static_shared = kernel.static_shared;
  launch.dynamic_shared = request.dynamic_shared;
  launch.seconds = result.seconds;
  launch.warp_instructions = result.warp_instructions;
  launch.thread_instructions = result.thread_instructions;
  launch.order_dependent = result.order_dependent;
  if (result.stop) launch.stopped = result.stop->message;

  const Source source{module, request, result.profile, measured};
  add_function(launch.rows, source, kernel);
  for (const Function& function : module.functions) {
    if (&function != &kernel && was_executed(result.profile, function)) add_function(launch.rows, source, function);
  }
  return launch;
}

}  // namespace lanescope::report
