#include "sample.h"

namespace lanescope::report::sample {
namespace {

using observe::MemoryCounts;

InstructionRow row(std::uint32_t offset, std::string text, std::uint32_t line, std::uint64_t executed) {
  InstructionRow r;
  r.offset = offset;
  r.text = std::move(text);
  r.at = {{"transpose.cu", line}};
  r.executed = executed;
  r.threads = r.threads_on = executed * 32;
  return r;
}

MemoryCounts shared(engine::Access access, std::uint64_t executed, std::uint64_t wavefronts) {
  MemoryCounts m;
  m.accesses = executed;
  m.spaces = 2;
  m.bytes = 4;
  m.access = access;
  m.wavefronts = m.wavefronts_ncu = wavefronts;
  m.wavefronts_ideal = m.wavefronts_ideal_ncu = executed;
  m.conflicts = wavefronts - executed;
  return m;
}

MemoryCounts global(engine::Access access, std::uint64_t executed, std::uint64_t sectors) {
  MemoryCounts m;
  m.accesses = executed;
  m.spaces = 1;
  m.bytes = 4;
  m.access = access;
  m.sectors = sectors;
  m.sectors_ideal = executed * 4;
  m.tags = sectors / 4;
  return m;
}

}  // namespace

Launch transpose() {
  Launch l;
  l.id = 1;
  l.kernel = "void transpose_tile<(int)0>(const float *, float *, int)";
  l.mangled = "_Z14transpose_tileILi0EEvPKfPfi";
  l.grid[0] = l.grid[1] = 8;
  l.block[0] = 32;
  l.block[1] = 8;
  l.registers = 24;
  l.static_shared = 4096;
  l.occupancy = {64, 64, 10, 20, 8, 32, "warps"};
  l.seconds = 0.001;
  l.warp_instructions = 4608;
  l.thread_instructions = 147456;
  l.rows.push_back(row(0x00, "S2R R0, SR_TID.X", 44, 512));
  l.rows.push_back(row(0x10, "LDG.E.CONSTANT R2, desc[UR4][R2.64]", 45, 2048));
  l.rows.back().memory = global(engine::Access::kLoad, 2048, 8192);
  l.rows.push_back(row(0x20, "STS [R5], R2", 45, 2048));
  l.rows.back().memory = shared(engine::Access::kStore, 2048, 2048);
  l.rows.back().shared_array = "t";
  l.rows.push_back(row(0x30, "LDS R7, [R6]", 47, 2048));
  l.rows.back().memory = shared(engine::Access::kLoad, 2048, 65536);
  l.rows.back().shared_array = "t";
  l.rows.push_back(row(0x40, "STG.E desc[UR4][R8.64], R7", 47, 2048));
  l.rows.back().memory = global(engine::Access::kStore, 2048, 8192);
  l.rows.push_back(row(0x50, "EXIT", 48, 512));
  return l;
}

Launch scale(std::uint64_t id) {
  Launch l;
  l.id = id;
  l.kernel = "scale(float *, float, int)";
  l.mangled = "_Z5scalePffi";
  l.grid[0] = 64;
  l.block[0] = 256;
  l.registers = 10;
  l.occupancy = {64, 64, 21, 32, 8, 32, "warps"};
  l.rows.push_back(row(0x00, "LDG.E R0, desc[UR4][R2.64]", 9, 512));
  l.rows.back().memory = global(engine::Access::kLoad, 512, 2048);
  l.rows.push_back(row(0x10, "STG.E desc[UR4][R2.64], R0", 9, 512));
  l.rows.back().memory = global(engine::Access::kStore, 512, 2048);
  return l;
}

Report process() {
  Report r;
  r.tool_version = "0.1.0";
  r.program = "./transpose 256";
  r.chip = "H200";
  r.process = 4711;
  r.launches = {transpose(), scale(2), scale(3)};
  return r;
}

Document document() {
  Document d;
  d.program = "./transpose 256";
  d.processes = {process()};
  d.sources["transpose.cu"] = {
      {9, "    if (i < n) data[i] *= factor;"},
      {45, "    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = A[(y + j) * N + x];"},
      {47, "    for (int j = 0; j < 32; j += 8) B[(y + j) * N + x] = t[threadIdx.x][threadIdx.y + j];"},
  };
  return d;
}

}  // namespace lanescope::report::sample
