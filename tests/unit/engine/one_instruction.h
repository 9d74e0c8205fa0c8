// Runs one machine instruction on given registers, on any of the engine's targets.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/ops/lower.h"
#include "sass/instruction.h"

namespace lanescope::engine {

using Row = std::array<std::uint32_t, kLanes>;

// The targets that were built and that this processor has.
inline std::vector<const Target*> available_targets() {
  std::vector<const Target*> targets{&target_base::target()};
#if defined(LANESCOPE_HAS_TARGET_avx2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    targets.push_back(&target_avx2::target());
#endif
#if defined(LANESCOPE_HAS_TARGET_avx512)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    targets.push_back(&target_avx512::target());
#endif
  return targets;
}

class OneInstruction {
 public:
  OneInstruction(const Target& target, Word128 word, std::uint32_t sm = 90) : frame_(new (std::align_val_t{64}) Frame) {
    const auto decoded = sass::decode(word, 0, sm);
    if (!decoded) throw std::runtime_error(decoded.error().message);
    Builder builder(pool_);
    const Lower lower = target.lower[static_cast<std::size_t>(decoded->row->executor)];
    if (lower == nullptr || !lower(*decoded, op_, builder))
      throw std::runtime_error("not supported: " + sass::to_text(*decoded));
    std::memset(frame_.get(), 0, sizeof(Frame));
    rows_.resize(pool_.size());
    for (std::size_t i = 0; i < pool_.size(); ++i) rows_[i].lanes.fill(pool_[i].value);
    context_.base[0] = frame_->bytes;
    context_.base[1] = reinterpret_cast<std::byte*>(rows_.data());
    context_.header().predicate[kPredicateTrue] = kAllLanes;
  }

  Row& reg(unsigned index) { return *reinterpret_cast<Row*>(frame_->bytes + register_offset(index)); }
  std::uint32_t predicate(unsigned index) { return context_.header().predicate[index]; }
  void set64(unsigned index, int lane, std::uint64_t value) {
    reg(index)[lane] = static_cast<std::uint32_t>(value);
    reg(index + 1)[lane] = static_cast<std::uint32_t>(value >> 32);
  }
  std::uint64_t get64(unsigned index, int lane) { return reg(index)[lane] | std::uint64_t{reg(index + 1)[lane]} << 32; }

  void run() { op_.full(context_, op_, kAllLanes); }
  void run(std::uint32_t mask) { op_.masked(context_, op_, mask); }

 private:
  struct alignas(64) Frame {
    std::byte bytes[kFrameBytes];
  };
  struct alignas(64) PoolLanes {
    Row lanes;
  };
  struct Free {
    void operator()(Frame* frame) const { ::operator delete (frame, std::align_val_t{64}); }
  };
  std::unique_ptr<Frame, Free> frame_;
  std::vector<PoolRow> pool_;
  std::vector<PoolLanes> rows_;
  MicroOp op_;
  Context context_;
};

}  // namespace lanescope::engine
