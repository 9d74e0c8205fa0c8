// Lowering: a module's functions become micro-operations when they are first needed.
#include <algorithm>
#include <optional>

#include "engine/launch_state.h"
#include "isa/arch.h"
#include "sass/instruction.h"

namespace lanescope::engine {
namespace {

// Runs in place of an operation that cannot be run: extra[0] says why.
void refuse(Context& ctx, const MicroOp& op, std::uint32_t) {
  const Program::Impl& program = *ctx.worker->launch->program;
  stop_device(ctx, op, StopReason::kUnsupported, 0, 0, program.refusals[op.extra[0]]);
}

MicroOp refusal(Program::Impl& program, std::string why) {
  MicroOp op;
  op.full = op.masked = refuse;
  op.extra[0] = static_cast<std::uint32_t>(program.refusals.size());
  program.refusals.push_back(std::move(why));
  return op;
}

void lower_guard(const sass::Instruction& instruction, MicroOp& op) {
  const sass::Predicate guard = instruction.guard;
  op.guard = static_cast<std::uint8_t>(guard.index + (guard.uniform ? kUniformPredicate : 0));
  op.guard_flip = guard.negated ? kAllLanes : 0;
}

// Uniform instructions act on rows too, with all lanes, whichever lanes are active.
void run_uniform(Context& ctx, const MicroOp& op, std::uint32_t) { op.full(ctx, op, kAllLanes); }

bool is_uniform(const sass::Instruction& instruction) {
  switch (instruction.row->executor) {
    case isa::Executor::kElect:
    case isa::Executor::kR2ur:
    case isa::Executor::kRedux:
    case isa::Executor::kVote:
      return false;  // these look at the active lanes
    default:
      return instruction.destination.kind == sass::OperandKind::kUniformRegister ||
             instruction.predicate_destination[0].uniform;
  }
}

// Bank 0 below the parameters is the driver's. A kernel that reads a place of it that no launch of ours fills is
// refused.
bool is_filled(const isa::ConstantLayout& layout, std::uint32_t offset) {
  const auto holds = [&](std::uint32_t first, std::uint32_t bytes) {
    return offset >= first && offset < first + bytes;
  };
  return holds(layout.block_dim, 12) || holds(layout.grid_dim, 12) || holds(layout.stack_top, 4) ||
         holds(layout.local_window, 8) || holds(layout.bank3_address, 8) ||
         (layout.grid_workspace != 0 && holds(layout.grid_workspace, 8)) ||
         (layout.shared_window != 0 && holds(layout.shared_window, 8)) ||
         (layout.global_descriptor != 0 && holds(layout.global_descriptor, 8));
}

// The offset of a constant that the driver fills with something that is not known here, or nothing.
std::optional<std::uint32_t> unknown_constant(const sass::Instruction& instruction, const loader::Function& function) {
  const isa::Arch* const arch = isa::find_arch(instruction.sm);
  const bool indexed = instruction.address.base != 255;
  if (arch == nullptr || !function.is_kernel || indexed) return std::nullopt;
  for (const sass::Operand& source : instruction.sources)
    if (source.kind == sass::OperandKind::kConstant && source.bank == 0 && source.uniform < 0 &&
        source.value < function.parameter_base && !is_filled(arch->constants, source.value))
      return source.value;
  return std::nullopt;
}

MicroOp lower_one(Program::Impl& program, const loader::Function& function, std::uint32_t i, Builder& builder) {
  const std::uint32_t offset = 16 * i;
  const auto decoded = sass::decode(program.module->code[function.first + i], offset, program.module->sm);
  if (!decoded) return refusal(program, decoded.error().message);
  if (decoded->row->memory == isa::MemoryClass::kLocal) program.uses_local = true;
  MicroOp op;
  builder.function_first = function.first;
  const Lower lower = program.target->lower[static_cast<std::size_t>(decoded->row->executor)];
  if (lower == nullptr || !lower(*decoded, op, builder))
    op = refusal(program, fmt::format("{} is not supported yet", sass::to_text(*decoded)));
  else if (const auto constant = unknown_constant(*decoded, function))
    op = refusal(program, fmt::format("{} reads what the driver puts at c[0x0][{:#x}], which is not known here",
                                      sass::to_text(*decoded), *constant));
  else if (op.flow == Flow::kBranch && op.target >= program.module->code.size())
    op = refusal(program, fmt::format("{} leaves the code", sass::to_text(*decoded)));
  lower_guard(*decoded, op);
  if (op.flow == Flow::kNext && is_uniform(*decoded)) op.masked = run_uniform;
  return op;
}

}  // namespace

void Program::Impl::lower(std::uint32_t index) {
  if (lowered[index]) return;
  lowered[index] = true;
  const loader::Function& function = module->functions[index];
  Builder builder(pool);
  builder.memory_slots = memory_slots;
  builder.registers = registers;
  builder.uniforms = uniforms;
  for (std::uint32_t i = 0; i < function.count; ++i) code[function.first + i] = lower_one(*this, function, i, builder);
  memory_slots = builder.memory_slots;
  registers = builder.registers;
  uniforms = builder.uniforms;
}

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::create(const loader::Module& module) {
  auto impl = std::make_unique<Impl>();
  impl->module = &module;
  impl->target = &best_target();
  impl->bank3 = module.bank3;
  impl->lowered.assign(module.functions.size(), false);
  const MicroOp outside = refusal(*impl, "execution ran into code that belongs to no function of this launch");
  impl->code.assign(module.code.size() + 1, outside);
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

const loader::Module& Program::module() const { return *impl_->module; }
std::span<std::uint8_t> Program::bank3() { return impl_->bank3; }

std::vector<std::string> Program::unsupported(const loader::Function& function) const {
  std::vector<std::string> lines;
  const std::lock_guard lock(impl_->mutex);
  const auto index = static_cast<std::uint32_t>(&function - impl_->module->functions.data());
  impl_->lower(index);
  for (std::uint32_t i = 0; i < function.count; ++i) {
    const MicroOp& op = impl_->code[function.first + i];
    if (op.full != refuse) continue;
    const std::string& why = impl_->refusals[op.extra[0]];
    const bool known =
        std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.ends_with(why); });
    if (!known) lines.push_back(fmt::format("{} at {:#x}: {}", function.demangled, 16 * i, why));
  }
  return lines;
}

// ---- Builder

std::uint32_t Builder::pool_pair(const PoolRow& low, const PoolRow& high) {
  pool_.push_back(low);
  pool_.push_back(high);
  return static_cast<std::uint32_t>(pool_.size() - 2) * kRowBytes;
}

std::uint32_t Builder::pool_row(const PoolRow& row) {
  for (std::size_t i = 0; i < pool_.size(); ++i)
    if (pool_[i].kind == row.kind && pool_[i].bank == row.bank && pool_[i].value == row.value)
      return static_cast<std::uint32_t>(i) * kRowBytes;
  pool_.push_back(row);
  return static_cast<std::uint32_t>(pool_.size() - 1) * kRowBytes;
}

void Builder::reg(MicroOp& op, int slot, int index) {
  if (index != 255) registers = std::max(registers, static_cast<std::uint32_t>(index) + 1);
  op.base[slot] = 0;
  op.offset[slot] = index == 255 ? kZeroOffset : register_offset(static_cast<unsigned>(index));
}

void Builder::uniform(MicroOp& op, int slot, int index) {
  if (index >= 0 && index < 63) uniforms = std::max(uniforms, static_cast<std::uint32_t>(index) + 1);
  op.base[slot] = 0;
  op.offset[slot] = index < 0 || index >= 63 ? kZeroOffset : uniform_offset(static_cast<unsigned>(index));
}

void Builder::immediate(MicroOp& op, int slot, std::uint32_t value) {
  op.base[slot] = 1;
  op.offset[slot] = pool_row({PoolRow::Kind::kImmediate, 0, value});
}

void Builder::source(MicroOp& op, int slot, const sass::Operand& operand) {
  switch (operand.kind) {
    case sass::OperandKind::kNone:
      return reg(op, slot, 255);
    case sass::OperandKind::kRegister:
      return reg(op, slot, operand.zero ? 255 : operand.index);
    case sass::OperandKind::kUniformRegister:
      return uniform(op, slot, operand.zero ? -1 : operand.index);
    case sass::OperandKind::kImmediate:
      return immediate(op, slot, operand.value);
    case sass::OperandKind::kConstant:
      op.base[slot] = 1;
      op.offset[slot] = pool_row({PoolRow::Kind::kConstant, operand.bank, operand.value});
      return;
  }
}

void Builder::source64(MicroOp& op, int slot, const sass::Operand& operand, Immediate64 immediate) {
  using Kind = PoolRow::Kind;
  if (operand.kind == sass::OperandKind::kImmediate) {
    const std::uint32_t value = operand.value;
    const std::uint32_t sign = immediate == Immediate64::kSignExtended && (value >> 31) != 0 ? 0xffffffffu : 0;
    op.base[slot] = 1;
    op.offset[slot] = immediate == Immediate64::kHighWord
                          ? pool_pair({Kind::kImmediate, 0, 0}, {Kind::kImmediate, 0, value})
                          : pool_pair({Kind::kImmediate, 0, value}, {Kind::kImmediate, 0, sign});
  } else if (operand.kind == sass::OperandKind::kConstant) {
    op.base[slot] = 1;
    op.offset[slot] =
        pool_pair({Kind::kConstant, operand.bank, operand.value}, {Kind::kConstant, operand.bank, operand.value + 4});
  } else {
    source(op, slot, operand);
  }
}

void Builder::destination(MicroOp& op, const sass::Operand& operand) {
  if (operand.zero || operand.kind == sass::OperandKind::kNone) {
    op.destination = kSinkOffset;
  } else if (operand.kind == sass::OperandKind::kUniformRegister) {
    uniforms = std::max(uniforms, operand.index + 1u);
    op.destination = uniform_offset(operand.index & 63);
  } else {
    registers = std::max(registers, operand.index + 1u);
    op.destination = register_offset(operand.index);
  }
}

void Builder::predicate_destination(MicroOp& op, int i, const sass::Predicate& predicate) {
  op.predicate_destination[i] =
      predicate.index == 7 ? static_cast<std::uint8_t>(kPredicateSink)
                           : static_cast<std::uint8_t>(predicate.index + (predicate.uniform ? kUniformPredicate : 0));
}

void Builder::predicate_source(MicroOp& op, int i, const sass::Predicate& predicate) {
  op.predicate_source[i] = static_cast<std::uint8_t>(predicate.index + (predicate.uniform ? kUniformPredicate : 0));
  op.predicate_flips = static_cast<std::uint8_t>(op.predicate_flips | (predicate.negated ? 1 << i : 0));
}

void Builder::predicates(MicroOp& op, const sass::Instruction& instruction) {
  for (int i = 0; i < 2; ++i) predicate_destination(op, i, instruction.predicate_destination[i]);
  for (int i = 0; i < 3; ++i) predicate_source(op, i, instruction.predicate_source[i]);
}

}  // namespace lanescope::engine
