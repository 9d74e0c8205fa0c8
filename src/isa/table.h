// The instruction table: one row an operation (and encoding family), from which the decoder, the disassembler, the
// engine's dispatch, the reference page and the tests are made. The rows are in table.inc, the names of modifiers in
// modifiers.inc; table.inc's head describes the language of the `syntax` column.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lanescope::isa {

// Named fields that change what an instruction does or prints: kFtz, kSaturate, kRounding, kWidth, ...
enum class Modifier : std::uint8_t {
#define LANESCOPE_MODIFIER(name, meaning) k##name,
#include "isa/modifiers.inc"
#undef LANESCOPE_MODIFIER
  kCount,
};

// What executes a row: one name a semantic function of the engine (engine/ops/), kUnsupported where there is none yet.
enum class Executor : std::uint8_t {
#define LANESCOPE_EXECUTOR(name) k##name,
#include "isa/executors.inc"
#undef LANESCOPE_EXECUTOR
};

// "Ftz", and what its values mean.
struct ModifierName {
  std::string_view name;
  std::string_view meaning;
};
ModifierName describe(Modifier modifier);
std::string_view name_of(Executor executor);

enum class MemoryClass : std::uint8_t { kNone, kGlobal, kShared, kLocal, kConstant, kGeneric, kAsyncCopy };

struct Row {
  std::string_view name;    // "FFMA", "IMAD.WIDE"
  std::uint16_t operation;  // bits 0-8
  std::uint8_t forms;       // bit f set: form f (bits 9-11) is legal
  std::uint16_t first_sm;   // 80
  std::uint16_t last_sm;    // 0: no end
  std::string_view syntax;  // see table.inc
  MemoryClass memory;
  Executor executor;
  std::string_view summary;  // one sentence of documentation
};

std::span<const Row> table();

}  // namespace lanescope::isa
