// The report: plain data with a schema and a version. The runtime writes it a launch at a time; everything that prints
// starts from it, also from a saved file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/counters.h"

namespace lanescope::report {

inline constexpr int kSchemaVersion = 1;

struct Position {
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
};

// One machine instruction of a launch, in address order.
struct InstructionRow {
  std::uint32_t offset = 0;  // bytes from the start of its function
  std::string text;          // the vendor's disassembly
  std::string function;      // demangled, where it is not the kernel's own section
  std::vector<Position> at;  // innermost first, then where it was inlined
  std::uint64_t executed = 0, threads = 0, threads_on = 0, divergent = 0;
  std::optional<observe::MemoryCounts> memory;  // memory instructions only
  std::string shared_array;       // name and offset's array, "shared+0x400" where unknown; empty for other spaces
  bool timing_dependent = false;  // a retry loop: the counts are one possible run's
};

struct Occupancy {
  int theoretical_warps = 0, max_warps = 0;                                      // an SM
  int limit_registers = 0, limit_shared = 0, limit_warps = 0, limit_blocks = 0;  // blocks an SM
  std::string limiter;  // "registers", "shared memory", "warps", "blocks"
};

struct Launch {
  std::uint64_t id = 0;  // in the process, from 1
  std::string kernel, mangled;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint32_t registers = 0;                          // a thread
  std::uint32_t static_shared = 0, dynamic_shared = 0;  // bytes a block
  Occupancy occupancy;
  double seconds = 0;  // of the host: says nothing of a GPU
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  bool order_dependent = false;
  std::string stopped;  // why the launch ended early; empty when it completed
  std::vector<InstructionRow> rows;
  int rows_of = -1;  // index in Report::launches of an earlier launch with the same rows; `rows` is then empty
};

// One process's run.
struct Report {
  int schema = kSchemaVersion;
  std::string tool_version;
  std::string program;    // command line
  std::uint32_t sm = 90;  // of the chip that was modelled
  std::string chip;       // "H200"
  std::int64_t process = 0;
  std::vector<std::string> notes;     // warnings for the user, one sentence each
  std::vector<std::string> problems;  // what could not be run as on a GPU, one sentence each
  std::vector<Launch> launches;
};

// The rows of a launch, wherever they are kept.
inline const std::vector<InstructionRow>& rows_of(const Report& report, const Launch& launch) {
  return launch.rows_of < 0 ? launch.rows : report.launches.at(static_cast<std::size_t>(launch.rows_of)).rows;
}

}  // namespace lanescope::report
