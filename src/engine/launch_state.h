// What the blocks of one launch share, and what a program keeps between launches. Private to the engine.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/block.h"
#include "engine/launch.h"
#include "engine/ops/lower.h"

namespace lanescope::engine {

struct Program::Impl {
  const loader::Module* module = nullptr;
  const Target* target = nullptr;
  std::vector<MicroOp> code;          // by index into Module::code, and one more that refuses to run on
  std::vector<bool> lowered;          // by function
  std::vector<std::string> refusals;  // by index into `code` through MicroOp::extra[0] of refused operations
  std::vector<PoolRow> pool;
  std::uint32_t memory_slots = 0;
  std::uint32_t registers = 0;  // how many the lowered functions use: what a new block clears
  std::uint32_t uniforms = 0;
  bool uses_local = false;  // some lowered function loads from or stores to the stack
  std::vector<std::uint8_t> bank3;
  std::mutex mutex;

  void lower(std::uint32_t function);
};

inline constexpr int kBanks = 5;

// Where generic addresses of shared and local memory lie: outside what a process can map.
inline constexpr std::uint64_t kSharedWindow = 0x0100000000000000;
inline constexpr std::uint64_t kLocalWindow = 0x0180000000000000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

struct LaunchState {
  Program::Impl* program = nullptr;
  const LaunchRequest* request = nullptr;
  const LaunchOptions* options = nullptr;
  const loader::Function* kernel = nullptr;
  Bytes banks[kBanks];
  std::vector<std::uint8_t> bank0;
  std::vector<std::uint32_t> pool;   // rows
  std::uint32_t local_bytes = 0;     // a thread
  std::uint32_t shared_bytes = 0;    // a block, the system's included
  std::uint64_t grid_workspace = 0;  // device address, 0 when the launch is not cooperative
  std::uint64_t blocks = 0;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<std::uint64_t> blocks_done{0};
  std::atomic<std::uint64_t> instructions{0};
  std::atomic<bool> stopping{false};
  std::mutex stop_mutex;  // of `stop` and `printed`
  std::optional<Stop> stop;
  std::map<std::uint32_t, std::string> printed;  // by block: what printf wrote
};

// The whole sentence for the user: where, who, and the stop's detail.
std::string describe_stop(const loader::Module& module, Dim3 grid, const Stop& stop);

// Stops of the launch. They are out of line and take no templates, since targets' code calls them (ops/lanes.h).
// `detail` is the sentence after the one that names the kernel, the offset and the instruction.
[[noreturn]] void stop_device(const Context& ctx, const MicroOp& op, StopReason reason, std::uint32_t lane,
                              std::uint64_t address, std::string detail);
[[noreturn]] void stop_bad_code_address(const Context& ctx, const MicroOp& op, std::uint32_t lane,
                                        std::uint64_t address);
[[noreturn]] void stop_bad_constant(const Context& ctx, const MicroOp& op, std::uint32_t lane, std::uint32_t offset);
[[noreturn]] void stop_trap(const Context& ctx, const MicroOp& op, std::uint32_t lane);

}  // namespace lanescope::engine
