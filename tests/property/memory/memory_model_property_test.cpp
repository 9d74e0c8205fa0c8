// What must hold for every access, whatever its addresses.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "warp_access_gen.h"

namespace lanescope::memory_model {
namespace {

// RapidCheck's own 100 cases a property are few for what takes microseconds. RC_PARAMS from outside wins.
const int kManyCases = setenv("RC_PARAMS", "max_success=2000", /*overwrite=*/0);

WarpAccess logged(const WarpAccess& warp) {
  RC_LOG() << to_text(warp) << '\n';
  return warp;
}

WarpAccess moved(WarpAccess warp, std::uint64_t bytes) {
  for (std::uint64_t& address : warp.address) address += bytes;
  return warp;
}

// Lane l takes the place of lane to[l].
WarpAccess permuted(const WarpAccess& warp, const std::array<unsigned, kLanes>& to) {
  WarpAccess result = warp;
  result.active = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    result.address[to[lane]] = warp.address[lane];
    result.active |= (warp.active >> lane & 1) << to[lane];
  }
  return result;
}

bool is_wide_load(const WarpAccess& warp) { return warp.access == Access::kLoad && warp.bytes > kWordBytes; }
bool is_cas(const WarpAccess& warp) {
  return warp.access == Access::kCompareSwap || warp.access == Access::kCompareSwapSpin;
}

RC_GTEST_PROP(SharedModel, CountsStayInBounds, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  for (Rule rule : {Rule::kHardware, Rule::kProfiler}) {
    const SharedCounts counts = shared(warp, rule);
    RC_ASSERT(counts.wavefronts >= 1u);
    RC_ASSERT(counts.wavefronts <= (is_cas(warp) ? 64u : 32u));
    RC_ASSERT(counts.ideal >= 1u);
    RC_ASSERT(counts.ideal <= counts.wavefronts);
    RC_ASSERT(counts.conflicts < counts.wavefronts);
    RC_ASSERT(counts.excess() == counts.wavefronts - counts.ideal);
  }
}

RC_GTEST_PROP(SharedModel, MovingAllLanesTogetherChangesNothing, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  const unsigned unit = std::max<unsigned>(kWordBytes, warp.bytes);
  const WarpAccess there = moved(warp, std::uint64_t{*rc::gen::inRange(0u, 100000u)} * unit);
  RC_ASSERT(shared(there) == shared(warp));
  RC_ASSERT(shared(there, Rule::kProfiler) == shared(warp, Rule::kProfiler));
}

RC_GTEST_PROP(SharedModel, OrderInAGroupDoesNotMatter, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  RC_PRE(!is_wide_load(warp));
  const unsigned group = warp.bytes <= 4 ? 32 : 128 / warp.bytes;
  std::array<unsigned, kLanes> to{};
  for (unsigned first = 0; first < kLanes; first += group) {
    std::vector<unsigned> lanes(group);
    for (unsigned i = 0; i < group; ++i) lanes[i] = first + i;
    for (unsigned i = group - 1; i > 0; --i) std::swap(lanes[i], lanes[*rc::gen::inRange(0u, i + 1)]);
    std::copy(lanes.begin(), lanes.end(), to.begin() + first);
  }
  RC_ASSERT(shared(permuted(warp, to)) == shared(warp));
}

// Wide loads look at neighbours: only an exchange that keeps neighbours together leaves them as they were.
RC_GTEST_PROP(SharedModel, ExchangingNeighboursThroughoutDoesNotMatter, ()) {
  const WarpAccess warp = logged(any_warp(Access::kLoad));
  const unsigned group = warp.bytes <= 4 ? 32 : 128 / warp.bytes;
  const unsigned flip = *rc::gen::inRange(0u, group);
  std::array<unsigned, kLanes> to{};
  for (unsigned lane = 0; lane < kLanes; ++lane) to[lane] = lane ^ flip;
  RC_ASSERT(shared(permuted(warp, to)) == shared(warp));
  RC_ASSERT(shared(permuted(warp, to), Rule::kProfiler) == shared(warp, Rule::kProfiler));
}

RC_GTEST_PROP(SharedModel, TheHardwareMergesAtLeastAsOftenAsTheProfiler, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  const SharedCounts hardware = shared(warp), profiler = shared(warp, Rule::kProfiler);
  RC_ASSERT(hardware.wavefronts <= profiler.wavefronts);
  if (!is_wide_load(warp)) RC_ASSERT(hardware == profiler);
}

RC_GTEST_PROP(SharedModel, ALaneLessNeverCostsMore, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  RC_PRE(!is_wide_load(warp) && (warp.active & (warp.active - 1)) != 0);
  WarpAccess fewer = warp;
  fewer.active &= fewer.active - 1;
  RC_ASSERT(shared(fewer).wavefronts <= shared(warp).wavefronts);
  RC_ASSERT(global(fewer).sectors <= global(warp).sectors);
  RC_ASSERT(local_sectors(fewer) <= local_sectors(warp));
}

RC_GTEST_PROP(SharedModel, InactiveLanesAreNotRead, ()) {
  const WarpAccess warp = logged(any_warp(*any_access()));
  WarpAccess other = warp;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (!(warp.active >> lane & 1)) other.address[lane] = *rc::gen::arbitrary<std::uint64_t>();
  RC_ASSERT(shared(other) == shared(warp));
  RC_ASSERT(shared(other, Rule::kProfiler) == shared(warp, Rule::kProfiler));
  RC_ASSERT(global(other) == global(warp));
  RC_ASSERT(local_sectors(other) == local_sectors(warp));
}

// Up to 32 bits, from the definition with the library's containers.
RC_GTEST_PROP(SharedModel, NarrowAccessesAsDefined, ()) {
  const WarpAccess warp = logged(any_warp(*rc::gen::element(Access::kLoad, Access::kStore, Access::kAtomic)));
  RC_PRE(warp.bytes <= 4);
  std::map<std::uint64_t, std::multiset<std::uint64_t>> words_of_bank;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (warp.active >> lane & 1) words_of_bank[warp.address[lane] / 4 % 32].insert(warp.address[lane] / 4);
  std::size_t most = 0;
  for (const auto& [bank, words] : words_of_bank) {
    const std::set<std::uint64_t> distinct(words.begin(), words.end());
    most = std::max(most, warp.access == Access::kAtomic ? words.size() : distinct.size());
  }
  RC_ASSERT(shared(warp).wavefronts == most);
  RC_ASSERT(shared(warp).conflicts == most - 1);
}

RC_GTEST_PROP(GlobalModel, AsDefined, ()) {
  const WarpAccess warp = logged(
      moved(any_warp(*rc::gen::element(Access::kLoad, Access::kStore)), *rc::gen::arbitrary<std::uint32_t>() * 16ull));
  std::set<std::uint64_t> sectors, lines;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    sectors.insert(warp.address[lane] / 32);
    lines.insert(warp.address[lane] / 128);
  }
  const GlobalCounts counts = global(warp);
  RC_ASSERT(counts.sectors == sectors.size());
  RC_ASSERT(counts.tags == lines.size());
  RC_ASSERT(counts.ideal >= 1u);
  RC_ASSERT(counts.ideal <= counts.sectors);
  RC_ASSERT(counts.tags <= counts.sectors);
  RC_ASSERT(counts.sectors <= 4 * counts.tags);
}

RC_GTEST_PROP(GlobalModel, MovingByLinesChangesNothing, ()) {
  const WarpAccess warp = logged(any_warp(Access::kLoad));
  RC_ASSERT(global(moved(warp, std::uint64_t{*rc::gen::arbitrary<std::uint32_t>()} * kLineBytes)) == global(warp));
}

RC_GTEST_PROP(LocalModel, AsDefined, ()) {
  const WarpAccess warp = logged(any_warp(*rc::gen::element(Access::kLoad, Access::kStore)));
  std::set<std::pair<std::uint64_t, unsigned>> sectors;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(warp.active >> lane & 1)) continue;
    for (std::uint64_t byte = 0; byte < warp.bytes; ++byte) sectors.emplace((warp.address[lane] + byte) / 4, lane / 8);
  }
  RC_ASSERT(local_sectors(warp) == sectors.size());
}

}  // namespace
}  // namespace lanescope::memory_model
