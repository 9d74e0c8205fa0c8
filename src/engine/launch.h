// Runs one kernel launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/events.h"
#include "engine/memory.h"
#include "loader/module.h"

namespace lanescope::engine {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// A module whose instructions are decoded and lowered on first use, and whose constant banks the engine can read.
// Words that cannot be decoded or have no executor become a refusal that fires when one of them is executed.
class Program {
 public:
  // `module` must outlive the program; its globals must have been placed.
  static Result<std::unique_ptr<Program>> create(const loader::Module& module);
  ~Program();

  const loader::Module& module() const;
  // Bank 3 (__constant__ variables): the runtime writes it for cudaMemcpyToSymbol.
  std::span<std::uint8_t> bank3();
  // One line for each distinct instruction of `function` that would be refused, for a warning on load.
  std::vector<std::string> unsupported(const loader::Function& function) const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Per instruction of Module::code (index = code address / 16), summed over the launch.
struct ExecutionProfile {
  std::vector<std::uint64_t> executed;    // warp executions
  std::vector<std::uint64_t> threads;     // active lanes
  std::vector<std::uint64_t> threads_on;  // active lanes whose guard predicate is true
  std::vector<std::uint64_t> divergent;   // branches that split a group
};

struct LaunchRequest {
  const loader::Function* kernel = nullptr;
  Dim3 grid, block;
  Dim3 cluster;                      // {1,1,1}: none
  std::uint32_t stack_limit = 1024;  // bytes a thread, the least that a kernel with a stack gets (cudaLimitStackSize)
  std::uint32_t dynamic_shared = 0;  // bytes
  std::span<const std::uint8_t> parameters;  // the bytes from the parameter base on
  bool cooperative = false;                  // all blocks run together
  DeviceMemory* memory = nullptr;
};

struct LaunchOptions {
  unsigned threads = 0;                                                   // workers; 0: one a core
  bool profile = true;                                                    // fill ExecutionProfile
  bool deterministic = false;                                             // blocks in order, one worker
  std::uint64_t max_instructions = 0;                                     // warp instructions a launch; 0: no limit
  std::function<Observer(unsigned worker)> observe;                       // may be empty
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // blocks, called about ten times a second
};

enum class StopReason : std::uint8_t {
  kUnsupported,     // an instruction that we cannot run
  kIllegalAddress,  // out of bounds, freed, a host pointer
  kMisaligned,
  kTrap,    // BPT.TRAP
  kAssert,  // a failed assertion
  kInstructionLimit,
  kDeadlock,  // barriers that can never complete
  kIllegalInstruction,
};

struct Stop {
  StopReason reason = StopReason::kUnsupported;
  std::uint32_t instruction = 0;  // index into Module::code
  std::uint32_t block = 0, warp = 0, lane = 0;
  std::uint64_t address = 0;
  std::string message;  // one sentence: kernel, line where known, offset, instruction, lane, what to do
};

struct LaunchResult {
  ExecutionProfile profile;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  // predicated-on
  double seconds = 0;
  bool order_dependent = false;  // atomics that return values or retry, or clocks, were executed
  std::optional<Stop> stop;      // what ended the launch early; the counts up to there stand
};

// An Error is a request that no hardware would take either (block too large, too much shared memory).
Result<LaunchResult> launch(Program& program, const LaunchRequest& request, const LaunchOptions& options);

}  // namespace lanescope::engine
