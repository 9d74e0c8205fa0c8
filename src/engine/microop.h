// What a machine instruction becomes before it runs, and the state that it runs on.
//
// Every register of a warp is a row of 32 lanes, 128 bytes, in the warp's frame. Uniform registers are rows too, with
// the same value in every lane, and constants and immediates are rows of the launch's pool: so a vector instruction has
// one form, row op row op row, whatever its operands were. A row is named by the base it lies in (frame or pool) and a
// byte offset. A 64-bit value is two neighbouring rows, low word first.
//
// Frame: a header (FrameHeader: predicates), then rows: uniform registers 0-63, two zero rows (RZ, URZ and the high
// half of their pairs), registers 0-255 (255 is never a source: it is where results that nobody wants go), and three
// rows of slack for wide stores to the last registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/events.h"

namespace lanescope::engine {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr std::uint32_t kRowBytes = 4 * kLanes;

// Predicates are masks of 32 lanes. Uniform ones are all zeros or all ones.
inline constexpr int kPredicateTrue = 7;     // PT
inline constexpr int kUniformPredicate = 8;  // UP0; UPT is 15
inline constexpr int kPredicateSink = 16;    // writes to PT and UPT
inline constexpr int kPredicates = 32;

struct FrameHeader {
  std::uint32_t predicate[kPredicates];
};
static_assert(sizeof(FrameHeader) == kRowBytes);

inline constexpr std::uint32_t kUniformRows = 64;
inline constexpr std::uint32_t kUniformOffset = sizeof(FrameHeader);
inline constexpr std::uint32_t kZeroOffset = kUniformOffset + kUniformRows * kRowBytes;
inline constexpr std::uint32_t kRegisterOffset = kZeroOffset + 4 * kRowBytes;
inline constexpr std::uint32_t kSinkOffset = kRegisterOffset + 255 * kRowBytes;
inline constexpr std::uint32_t kFrameBytes = kSinkOffset + 5 * kRowBytes;

constexpr std::uint32_t register_offset(unsigned index) { return kRegisterOffset + index * kRowBytes; }
constexpr std::uint32_t uniform_offset(unsigned index) { return kUniformOffset + index * kRowBytes; }

struct Context;
struct MicroOp;

// Executes one micro-operation for the lanes of `mask`, which is never 0.
using Handler = void (*)(Context&, const MicroOp&, std::uint32_t mask);

// What happens after the handler.
enum class Flow : std::uint8_t {
  kNext,     // the next instruction
  kBranch,   // BRA: lanes whose predicate source holds go to `target`
  kControl,  // the handler has set Context::outcome
};

struct MicroOp {
  Handler full = nullptr;                                             // mask is all 32 lanes
  Handler masked = nullptr;                                           // any mask
  std::uint32_t offset[3] = {kZeroOffset, kZeroOffset, kZeroOffset};  // sources a, b, c in their base
  std::uint32_t destination = kSinkOffset;                            // in the frame
  std::uint8_t base[3] = {0, 0, 0};                                   // 0: frame, 1: pool
  std::uint8_t guard = kPredicateTrue;
  std::uint32_t guard_flip = 0;  // all ones: negated
  Flow flow = Flow::kNext;
  bool always = false;  // call the handler though no lane's guard holds (control flow)
  std::uint8_t predicate_destination[2] = {kPredicateSink, kPredicateSink};
  std::uint8_t predicate_source[3] = {kPredicateTrue, kPredicateTrue, kPredicateTrue};
  std::uint8_t predicate_flips = 0;  // bit i: source i is negated
  std::int32_t immediate = 0;        // address offset, or what the family says
  std::uint32_t extra[2] = {0, 0};   // what the family says
  std::uint32_t target = 0;          // kBranch: index of the instruction
  std::uint32_t slot = 0;            // memory operations: the number of this one, for per-instruction caches
};

// The allocation that a memory instruction reached last.
struct RangeCache {
  std::uint64_t low = 0;     // its device address
  std::uint64_t starts = 0;  // how many bytes from `low` on an access of this instruction's size may start at
  std::uint8_t* view = nullptr;
};

enum class Outcome : std::uint8_t {
  kNext,        // control handlers: fall through with the group's (perhaps smaller) mask
  kReschedule,  // the group branched, blocked, split or ended: its state says what is next
};

struct Warp;
struct Block;
struct Worker;

// All that handlers see. One a worker; `base[0]` and the rest follow the running warp.
struct Context {
  std::byte* base[2] = {nullptr, nullptr};  // the warp's frame; the launch's pool
  std::uint32_t active = 0;                 // lanes of the running group
  Outcome outcome = Outcome::kNext;
  std::uint32_t pc = 0;     // control handlers only: index of the running instruction
  std::uint32_t first = 0;  // where the present run of instructions began: not yet in the tally
  Warp* warp = nullptr;
  Block* block = nullptr;
  Worker* worker = nullptr;

  std::uint8_t* shared = nullptr;  // the block's shared window
  std::uint32_t shared_bytes = 0;
  std::uint32_t shared_rank = 0;  // of the block in its cluster: bits 24-31 of a shared address
  std::uint8_t* local = nullptr;  // the warp's local memory: word w of lane l at (32 w + l) * 4
  std::uint32_t local_bytes = 0;  // a thread
  RangeCache* ranges = nullptr;   // by MicroOp::slot
  Observer observer;

  FrameHeader& header() { return *reinterpret_cast<FrameHeader*>(base[0]); }
};

}  // namespace lanescope::engine
