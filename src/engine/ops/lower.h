// From decoded instructions to micro-operations. Each family of ops/ lists what it can lower; a target's collection is
// one table indexed by isa::Executor.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/microop.h"
#include "sass/instruction.h"

namespace lanescope::engine {

// What the rows of the pool hold; the launch fills them, since it knows the constant banks.
struct PoolRow {
  enum class Kind : std::uint8_t { kImmediate, kConstant } kind;
  std::uint8_t bank = 0;
  std::uint32_t value = 0;  // the immediate, or the byte offset in the bank
};

// Names operands' rows for one module.
class Builder {
 public:
  explicit Builder(std::vector<PoolRow>& pool) : pool_(pool) {}

  // Makes `operand` source `slot`; its modifiers are the caller's business.
  void source(MicroOp& op, int slot, const sass::Operand& operand);
  // As a 64-bit pair: a constant is read as 64 bits; an immediate is the high word of a double, or sign-extended.
  enum class Immediate64 : std::uint8_t { kHighWord, kSignExtended, kZeroExtended };
  void source64(MicroOp& op, int slot, const sass::Operand& operand, Immediate64 immediate);
  void immediate(MicroOp& op, int slot, std::uint32_t value);
  void uniform(MicroOp& op, int slot, int index);  // a uniform register, -1 or URZ: zero
  void reg(MicroOp& op, int slot, int index);      // a register, 255: zero
  void destination(MicroOp& op, const sass::Operand& operand);
  // Predicate operands of the instruction: destination i, source i.
  void predicate_destination(MicroOp& op, int i, const sass::Predicate& predicate);
  void predicate_source(MicroOp& op, int i, const sass::Predicate& predicate);
  void predicates(MicroOp& op, const sass::Instruction& instruction);  // all of them

  // Kernel facts that some instructions depend on.
  std::uint32_t function_first = 0;  // index of the function's first instruction
  std::uint32_t registers = 0;       // one more than the highest register named so far
  std::uint32_t uniforms = 0;        // the same of uniform registers
  std::uint32_t memory_slots = 0;    // memory operations so far

 private:
  std::uint32_t pool_row(const PoolRow& row);
  std::uint32_t pool_pair(const PoolRow& low, const PoolRow& high);
  std::vector<PoolRow>& pool_;
};

// False: this variant is not supported, and the instruction is refused when it is executed.
using Lower = bool (*)(const sass::Instruction&, MicroOp&, Builder&);

struct LowerEntry {
  isa::Executor executor;
  Lower lower;
};

// One target's code: how it lowers, and its interpreter loop.
struct Target {
  const char* name;
  Lower lower[256];  // by isa::Executor; null: not supported
  // Runs the warp's running group until it blocks, branches apart or ends, or `budget` instructions are spent.
  // Returns the warp instructions executed.
  std::uint64_t (*run_group)(Context&, std::uint64_t budget);
};

const Target& best_target();  // of this processor; LANESCOPE_TARGET in the environment overrides
namespace target_base {
const Target& target();
}
namespace target_avx2 {
const Target& target();
}
namespace target_avx512 {
const Target& target();
}

}  // namespace lanescope::engine
