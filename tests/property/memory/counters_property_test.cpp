// The counters remember patterns; their sums must be those of the memory model asked afresh for each event, by every
// vector instruction set that this machine has.
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <random>

#include "observe/counters.h"
#include "warp_access_gen.h"

namespace lanescope::observe {
namespace {

namespace mm = memory_model;
constexpr std::uint32_t kInstructions = 8;
const int kCases = setenv("RC_PARAMS", "max_success=200", /*overwrite=*/0);  // of 200 events each

struct Kind {
  engine::Space space;
  engine::Access access;
  mm::Access model;
};

constexpr Kind kKinds[] = {
    {engine::Space::kGlobal, engine::Access::kLoad, mm::Access::kLoad},
    {engine::Space::kGlobal, engine::Access::kStore, mm::Access::kStore},
    {engine::Space::kGlobal, engine::Access::kReduction, mm::Access::kAtomic},
    {engine::Space::kGlobal, engine::Access::kAsyncRead, mm::Access::kAsyncCopy},
    {engine::Space::kLocal, engine::Access::kLoad, mm::Access::kLoad},
    {engine::Space::kLocal, engine::Access::kStore, mm::Access::kStore},
    {engine::Space::kShared, engine::Access::kLoad, mm::Access::kLoad},
    {engine::Space::kShared, engine::Access::kStore, mm::Access::kStore},
    {engine::Space::kShared, engine::Access::kAtomic, mm::Access::kAtomic},
    {engine::Space::kShared, engine::Access::kReduction, mm::Access::kAtomic},
    {engine::Space::kShared, engine::Access::kCompareSwap, mm::Access::kCompareSwap},
    {engine::Space::kShared, engine::Access::kCompareSwapSpin, mm::Access::kCompareSwapSpin},
    {engine::Space::kShared, engine::Access::kIncrement, mm::Access::kIncrement},
    {engine::Space::kShared, engine::Access::kMatrixLoad, mm::Access::kMatrixLoad},
    {engine::Space::kShared, engine::Access::kMatrixStore, mm::Access::kMatrixStore},
    {engine::Space::kShared, engine::Access::kAsyncWrite, mm::Access::kAsyncCopy},
    {engine::Space::kShared, engine::Access::kAsyncWriteBypass, mm::Access::kAsyncCopyBypass},
};

struct Access {
  std::uint32_t instruction = 0;
  Kind kind{};
  mm::WarpAccess warp;
};

void add_afresh(MemoryCounts& counts, const Access& access) {
  ++counts.accesses;
  switch (access.kind.space) {
    case engine::Space::kGlobal: {
      const mm::GlobalCounts global = mm::global(access.warp);
      counts.sectors += global.sectors;
      counts.sectors_ideal += global.ideal;
      counts.tags += global.tags;
      break;
    }
    case engine::Space::kLocal:
      counts.local_sectors += mm::local_sectors(access.warp);
      break;
    case engine::Space::kShared: {
      const mm::SharedCounts hardware = mm::shared(access.warp);
      const mm::SharedCounts profiler = mm::shared(access.warp, mm::Rule::kProfiler);
      counts.wavefronts += hardware.wavefronts;
      counts.wavefronts_ideal += hardware.ideal;
      counts.conflicts += hardware.conflicts;
      counts.wavefronts_ncu += profiler.wavefronts;
      counts.wavefronts_ideal_ncu += profiler.ideal;
      counts.estimate |= hardware.estimate;
      break;
    }
  }
}

// A loop of few accesses, each at moving addresses and now and then under another mask, in any order.
std::vector<Access> any_run() {
  std::vector<Access> bodies;
  for (std::uint32_t i = 0; i < kInstructions; ++i) {
    const Kind kind = kKinds[*rc::gen::inRange<std::size_t>(0, std::size(kKinds))];
    bodies.push_back({i, kind, mm::any_warp(kind.model)});
    if (*rc::gen::arbitrary<bool>()) bodies.push_back({i, kind, mm::any_warp(kind.model)});
  }
  std::vector<Access> run;
  for (int i = 0; i < 200; ++i) {
    Access access = bodies[*rc::gen::inRange<std::size_t>(0, bodies.size())];
    mm::WarpAccess& warp = access.warp;
    // A chance of addresses past 32 bits, and of a distance between lanes past 32 bits.
    const std::uint64_t far = *rc::gen::element<std::uint64_t>(0, 0x7f0000000000);
    const std::uint64_t apart =
        access.kind.space == engine::Space::kGlobal ? *rc::gen::element<std::uint64_t>(0, 1ull << 33) : 0;
    const std::uint64_t move = far + *rc::gen::inRange<std::uint64_t>(0, 64) * warp.bytes;
    for (unsigned lane = 0; lane < mm::kLanes; ++lane) warp.address[lane] += move + lane / 16 * apart;
    if (*rc::gen::inRange(0, 4) == 0 && !mm::is_matrix(warp.access)) warp.active = mm::any_mask();
    run.push_back(access);
  }
  return run;
}

void send(const engine::Observer& observer, const Access& access,
          const std::array<std::uint64_t, mm::kLanes>& addresses) {
  observer.memory(observer.self, {.instruction = access.instruction,
                                  .active = access.warp.active,
                                  .space = access.kind.space,
                                  .access = access.kind.access,
                                  .bytes = access.warp.bytes,
                                  .matrices = access.warp.matrices,
                                  .addresses = addresses.data()});
}

std::vector<MemoryCounts> counted(const std::vector<Access>& run) {
  Counters counters(kInstructions);
  const engine::Observer observer = counters.observer();
  for (const Access& access : run) {
    std::array<std::uint64_t, mm::kLanes> addresses = access.warp.address;
    for (unsigned lane = 0; lane < mm::kLanes; ++lane)
      if (!(access.warp.active >> lane & 1)) addresses[lane] = *rc::gen::arbitrary<std::uint64_t>();
    send(observer, access, addresses);
  }
  return counters.take();
}

void compare(const MemoryCounts& sum, const MemoryCounts& afresh) {
  RC_ASSERT(sum.accesses == afresh.accesses);
  RC_ASSERT(sum.wavefronts == afresh.wavefronts);
  RC_ASSERT(sum.wavefronts_ncu == afresh.wavefronts_ncu);
  RC_ASSERT(sum.wavefronts_ideal == afresh.wavefronts_ideal);
  RC_ASSERT(sum.wavefronts_ideal_ncu == afresh.wavefronts_ideal_ncu);
  RC_ASSERT(sum.conflicts == afresh.conflicts);
  RC_ASSERT(sum.sectors == afresh.sectors);
  RC_ASSERT(sum.sectors_ideal == afresh.sectors_ideal);
  RC_ASSERT(sum.tags == afresh.tags);
  RC_ASSERT(sum.local_sectors == afresh.local_sectors);
  RC_ASSERT(sum.estimate == afresh.estimate);
}

class CountersOnTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(CountersOnTarget, SumsAreTheModels) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Access> run = any_run();
    std::vector<MemoryCounts> afresh(kInstructions);
    for (const Access& access : run) add_afresh(afresh[access.instruction], access);
    const std::vector<MemoryCounts> sums = counted(run);
    RC_ASSERT(sums.size() == std::size_t{kInstructions});
    for (std::uint32_t i = 0; i < kInstructions; ++i) compare(sums[i], afresh[i]);
  }));
}

// Two workers' sums together are one worker's.
TEST_P(CountersOnTarget, PartsAddUp) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Access> run = any_run();
    const auto middle = run.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(run.size()));
    std::vector<MemoryCounts> sum;
    add(sum, counted({run.begin(), middle}));
    add(sum, counted({middle, run.end()}));
    const std::vector<MemoryCounts> whole = counted(run);
    for (std::uint32_t i = 0; i < kInstructions; ++i) compare(sum[i], whole[i]);
  }));
}

// More patterns than the counters' table holds: forgotten ones come again.
TEST_P(CountersOnTarget, ForgottenPatternsAreCountedAnew) {
  std::mt19937_64 random(1);
  std::vector<Access> patterns(2000);
  for (Access& access : patterns) {
    access.instruction = static_cast<std::uint32_t>(random() % kInstructions);
    access.kind = access.instruction % 2 == 0 ? kKinds[0] : kKinds[6];
    const std::uint64_t range = 64u << random() % 8;
    access.warp = mm::warp_access(access.kind.model, 4, [&](unsigned) { return random() % range * 4; });
    if (random() % 2 == 0) access.warp.active = static_cast<std::uint32_t>(random()) | 1;
  }
  std::vector<MemoryCounts> afresh(kInstructions);
  Counters counters(kInstructions);
  const engine::Observer observer = counters.observer();
  for (int i = 0; i < 20000; ++i) {
    const Access& access = patterns[random() % patterns.size()];
    add_afresh(afresh[access.instruction], access);
    send(observer, access, access.warp.address);
  }
  const std::vector<MemoryCounts> sums = counters.take();
  for (std::uint32_t i = 0; i < kInstructions; ++i) {
    EXPECT_EQ(sums[i].accesses, afresh[i].accesses);
    EXPECT_EQ(sums[i].wavefronts, afresh[i].wavefronts);
    EXPECT_EQ(sums[i].conflicts, afresh[i].conflicts);
    EXPECT_EQ(sums[i].sectors, afresh[i].sectors);
    EXPECT_EQ(sums[i].tags, afresh[i].tags);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, CountersOnTarget, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& vectors) { return hwy::TargetName(vectors.param); });

}  // namespace
}  // namespace lanescope::observe
