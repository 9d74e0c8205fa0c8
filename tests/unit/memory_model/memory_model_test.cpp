// The examples of the header and of docs/memory-model.md, at compile time, and what the rules leave out of the
// recordings.
#include "lanescope/memory_model.hpp"

#include <gtest/gtest.h>

namespace lanescope::memory_model {
namespace {

constexpr SharedCounts load(unsigned bytes, std::array<std::uint64_t, kLanes> element,
                            std::uint32_t active = kAllLanes) {
  return shared(warp_access(
      Access::kLoad, bytes, [&](unsigned lane) { return element[lane] * bytes; }, active));
}

constexpr auto elements(auto of_lane) {
  std::array<std::uint64_t, kLanes> element{};
  for (unsigned lane = 0; lane < kLanes; ++lane) element[lane] = of_lane(lane);
  return element;
}

constexpr auto kColumn = warp_access(Access::kLoad, 4, [](unsigned lane) { return (lane * 33 + 7) * 4; });
static_assert(shared(kColumn).wavefronts == 1);
static_assert(shared(kColumn).conflicts == 0);

// docs/memory-model.md: a 16x16 block stores its tile.
constexpr SharedCounts tile_store(unsigned pitch) {
  return shared(warp_access(Access::kStore, 4, [=](unsigned lane) { return (lane / 16 * pitch + lane % 16) * 4; }));
}
static_assert(tile_store(17) == SharedCounts{2, 1, 1, false});
static_assert(tile_store(16) == SharedCounts{1, 1, 0, false});

constexpr auto kNeighbours = elements([](unsigned lane) { return lane; });
static_assert(load(16, kNeighbours) == SharedCounts{4, 4, 0, false});
static_assert(load(8, kNeighbours) == SharedCounts{2, 2, 0, false});
static_assert(load(16, elements([](unsigned) { return 5; })) == SharedCounts{2, 2, 0, false});
static_assert(load(4, kNeighbours, 0) == SharedCounts{});
static_assert(bank(132) == 1);

constexpr auto kRows = matrix_access(Access::kMatrixLoad, 4, [](unsigned row) { return row * 16; });
static_assert(shared(kRows) == SharedCounts{4, 4, 0, false});

static_assert(global(warp_access(Access::kLoad, 4, [](unsigned lane) { return lane * 4; })) == GlobalCounts{4, 4, 1});
static_assert(global(warp_access(Access::kLoad, 4, [](unsigned lane) { return 64 + lane * 4; })) ==
              GlobalCounts{4, 4, 2});
static_assert(global(warp_access(Access::kLoad, 4, [](unsigned lane) { return lane * 128; })) ==
              GlobalCounts{32, 4, 32});
static_assert(global(warp_access(Access::kLoad, 32, [](unsigned lane) { return lane * 32; })) ==
              GlobalCounts{32, 32, 8});

static_assert(local_sectors(warp_access(Access::kStore, 4, [](unsigned) { return 16; })) == 4);
static_assert(local_sectors(warp_access(Access::kStore, 16, [](unsigned) { return 16; })) == 16);

TEST(MemoryModel, AConflictedPairLoadDiffersByRule) {
  // Lanes 2 k and 2 k + 1 agree. Both half-warps have two elements in one bank, but not in the same: served together,
  // no bank has more than two.
  constexpr std::uint64_t kElement[] = {0, 16, 1, 2, 3, 4, 5, 6, 7, 23, 8, 9, 10, 11, 12, 13};
  const auto pairs = warp_access(Access::kLoad, 8, [&](unsigned lane) { return kElement[lane / 2] * 8; });
  EXPECT_EQ(shared(pairs, Rule::kHardware), (SharedCounts{2, 2, 1, false}));
  EXPECT_EQ(shared(pairs, Rule::kProfiler), (SharedCounts{4, 2, 2, false}));
}

TEST(MemoryModel, OnlyUnmeasuredRulesAreEstimates) {
  const auto estimate = [](Access access, unsigned bytes) {
    return shared(warp_access(access, bytes, [=](unsigned lane) { return lane * bytes; })).estimate;
  };
  for (Access access : {Access::kLoad, Access::kStore, Access::kAsyncCopy})
    for (unsigned bytes : {4u, 8u, 16u}) EXPECT_FALSE(estimate(access, bytes));
  for (Access access : {Access::kAtomic, Access::kIncrement, Access::kCompareSwap}) {
    EXPECT_FALSE(estimate(access, 4));
    EXPECT_TRUE(estimate(access, 8));
  }
  EXPECT_TRUE(estimate(Access::kAsyncCopyBypass, 16));
  EXPECT_TRUE(estimate(Access::kCompareSwapSpin, 4));
}

}  // namespace
}  // namespace lanescope::memory_model
