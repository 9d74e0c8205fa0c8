// How long the counters take for one event. The engine calls them for each warp memory instruction.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <vector>

#include "observe/counters.h"

namespace lanescope {
namespace {

struct Warp {
  engine::MemoryEvent event;
  alignas(64) std::array<std::uint64_t, 32> address;
};

// Warps by a rule; `count` different instructions take turns.
template <class AddressOf>
std::vector<Warp> warps(engine::Space space, std::uint32_t count, AddressOf address_of) {
  std::vector<Warp> warps(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) warps[i].address[lane] = address_of(i, lane);
    warps[i].event = {.instruction = i, .active = 0xffffffffu, .space = space};
  }
  return warps;
}

void count(benchmark::State& state, std::vector<Warp> warps, std::uint32_t instructions) {
  observe::Counters counters(instructions);
  const engine::Observer observer = counters.observer();
  for (Warp& warp : warps) warp.event.addresses = warp.address.data();
  std::size_t next = 0;
  for (auto _ : state) {
    observer.memory(observer.self, warps[next].event);
    if (++next == warps.size()) next = 0;
  }
  benchmark::DoNotOptimize(counters.take());
}

// What the benchmark itself costs: to be taken off the others.
void ignored(benchmark::State& state) {
  std::vector<Warp> all(16);
  void (*volatile ignore)(void*, const engine::MemoryEvent&) = [](void*, const engine::MemoryEvent&) {};
  const engine::Observer observer{ignore, nullptr};
  std::size_t next = 0;
  for (auto _ : state) {
    observer.memory(observer.self, all[next].event);
    if (++next == all.size()) next = 0;
  }
}
BENCHMARK(ignored);

constexpr auto kShared = engine::Space::kShared;
constexpr auto kGlobal = engine::Space::kGlobal;

void shared_unit_stride(benchmark::State& state) {
  count(state, warps(kShared, 16, [](std::uint32_t, unsigned lane) { return lane * 4; }), 16);
}
BENCHMARK(shared_unit_stride);

// A loop over k in tile[ty][k]: the same pattern at moving addresses.
void shared_moving(benchmark::State& state) {
  auto all = warps(kShared, 32, [](std::uint32_t i, unsigned lane) { return (lane / 16 * 16 + i) * 4; });
  for (Warp& warp : all) warp.event.instruction = 0;
  count(state, all, 1);
}
BENCHMARK(shared_moving);

void global_unit_stride(benchmark::State& state) {
  count(state, warps(kGlobal, 16, [](std::uint32_t i, unsigned lane) { return 0x7f0000000000 + i * 4096 + lane * 4; }),
        16);
}
BENCHMARK(global_unit_stride);

void global_moving(benchmark::State& state) {
  auto all =
      warps(kGlobal, 32, [](std::uint32_t i, unsigned lane) { return 0x7f0000000000 + (lane / 16 * 1000 + i) * 4; });
  for (Warp& warp : all) warp.event.instruction = 0;
  count(state, all, 1);
}
BENCHMARK(global_moving);

// Half of the lanes inactive.
void shared_masked(benchmark::State& state) {
  auto all = warps(kShared, 16, [](std::uint32_t, unsigned lane) { return lane * 4; });
  for (Warp& warp : all) warp.event.active = 0x55555555u;
  count(state, all, 16);
}
BENCHMARK(shared_masked);

// A reduction: the active mask halves at each step, so the pattern changes at each event.
void shared_reduction(benchmark::State& state) {
  auto all = warps(kShared, 5, [](std::uint32_t, unsigned lane) { return lane * 4; });
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    all[i].event.instruction = 0;
    all[i].event.active = 0xffffffffu >> (16 >> i << 1) / 2;
  }
  count(state, all, 1);
}
BENCHMARK(shared_reduction);

// Data-dependent addresses: no pattern comes twice.
void random_pattern(benchmark::State& state, engine::Space space, std::uint32_t range) {
  std::mt19937 random(1);
  auto all = warps(space, 4096, [&](std::uint32_t, unsigned) { return random() % range * 4; });
  for (Warp& warp : all) warp.event.instruction = 0;
  count(state, all, 1);
}
BENCHMARK_CAPTURE(random_pattern, shared, kShared, 4096);
BENCHMARK_CAPTURE(random_pattern, global, kGlobal, 1u << 20);

}  // namespace
}  // namespace lanescope
