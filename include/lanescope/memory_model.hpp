// What one memory instruction of a warp costs: shared-memory wavefronts and bank conflicts, global sectors.
//
// Pure functions from the lanes' addresses to counts. They need the C++20 standard library only, allocate nothing and
// run at compile time too, so that a unit test can hold the layout of an array to its promise:
//
//     #include <lanescope/memory_model.hpp>
//     namespace mm = lanescope::memory_model;
//
//     // Lane i reads element [i][7] of `float tile[32][33]`: the padded pitch keeps the lanes in different banks.
//     constexpr auto column = mm::warp_access(mm::Access::kLoad, 4, [](unsigned lane) { return (lane * 33 + 7) * 4; });
//     static_assert(mm::shared(column).wavefronts == 1);
//     static_assert(mm::shared(column).conflicts == 0);
//
// The rules describe NVIDIA GPUs from compute capability 7.0 on. Source, unless a rule says otherwise: hardware
// counters of an H200 (sm_90) under Nsight Compute 2025.3.1 for 40 kinds of access with 128 address patterns each; the
// recordings and the program that made them are in tests/truth/. docs/memory-model.md says the same in a user's words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace lanescope::memory_model {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

inline constexpr unsigned kBanks = 32;           // of shared memory
inline constexpr unsigned kWordBytes = 4;        // a bank's width
inline constexpr unsigned kSectorBytes = 32;     // the unit of global traffic
inline constexpr unsigned kLineBytes = 128;      // the unit of an L1 tag
inline constexpr unsigned kMatrixRowBytes = 16;  // of ldmatrix and stmatrix

// SASS names are in brackets.
enum class Access : std::uint8_t {
  kLoad,             // [LDS, LDG, LDL]
  kStore,            // [STS, STG, STL]
  kAtomic,           // and reductions [ATOMS, ATOMG, REDG]
  kCompareSwap,      // [ATOMS.CAS]
  kCompareSwapSpin,  // one turn of the loop that a shared float or 64-bit atomicAdd becomes [ATOMS.CAST.SPIN]
  kIncrement,        // a shared reduction that adds 1 [ATOMS.POPC.INC]
  kMatrixLoad,       // ldmatrix .xN, N = WarpAccess::matrices [LDSM]
  kMatrixStore,      // stmatrix .xN [STSM]
  kAsyncCopy,        // the shared destination of cp.async.ca [LDGSTS]; its global source is a kLoad
  kAsyncCopyBypass,  // the shared destination of cp.async.cg [LDGSTS.BYPASS]
};

// One execution of an instruction by a warp.
struct WarpAccess {
  // Bytes; from any origin that is a multiple of 128. Shared: offset in the block's memory; global: the address;
  // local: offset in the thread's own memory. Only active lanes' entries are read; they are multiples of `bytes`, as
  // the hardware demands.
  std::array<std::uint64_t, kLanes> address{};
  std::uint32_t active =
      kAllLanes;  // bit i: lane i makes the access (it is in the warp's active mask, its guard is true)
  Access access = Access::kLoad;
  std::uint8_t bytes = 4;     // a lane: 1, 2, 4, 8 or 16; global also 32. Ignored for matrices
  std::uint8_t matrices = 0;  // 1, 2 or 4 for kMatrixLoad and kMatrixStore: lanes 0 to 8 N - 1 give the rows
};

// `address_of` gives the byte address of a lane, 0 to 31; it is asked about active lanes only.
template <class AddressOf>
constexpr WarpAccess warp_access(Access access, unsigned bytes, AddressOf&& address_of,
                                 std::uint32_t active = kAllLanes) {
  WarpAccess warp;
  warp.access = access;
  warp.bytes = static_cast<std::uint8_t>(bytes);
  warp.active = active;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (active >> lane & 1) warp.address[lane] = static_cast<std::uint64_t>(address_of(lane));
  }
  return warp;
}

// The same for ldmatrix and stmatrix: `row_of` gives the byte address of row 0 to 8 `matrices` - 1.
template <class RowOf>
constexpr WarpAccess matrix_access(Access access, unsigned matrices, RowOf&& row_of) {
  const std::uint32_t lanes = matrices >= 4 ? kAllLanes : (1u << 8 * matrices) - 1;
  WarpAccess warp = warp_access(access, kMatrixRowBytes, row_of, lanes);
  warp.matrices = static_cast<std::uint8_t>(matrices);
  return warp;
}

constexpr unsigned bank(std::uint64_t address) { return static_cast<unsigned>(address / kWordBytes % kBanks); }

// Whose count of shared wavefronts. They differ only for loads of 64 and 128 bits whose lanes share addresses.
enum class Rule : std::uint8_t {
  kHardware,  // l1tex__data_pipe_lsu_wavefronts_mem_shared: what the chip does
  kProfiler,  // "L1 Wavefronts Shared" of Nsight Compute's source page, computed by code that it patches in
};

struct SharedCounts {
  unsigned wavefronts = 0;  // cycles that the access holds the data banks
  unsigned ideal = 0;       // "L1 Wavefronts Shared Ideal": what the bytes alone would need
  unsigned conflicts = 0;   // wavefronts that another layout of the same data would save (hardware's bank conflicts)
  bool estimate = false;    // the rule rests on too few measurements, or on none

  // Nsight Compute's "L1 Wavefronts Shared Excessive". It can exceed `conflicts`: a wide access by a few lanes has an
  // excess that no layout mends.
  constexpr unsigned excess() const { return wavefronts - ideal; }
  friend constexpr bool operator==(const SharedCounts&, const SharedCounts&) = default;
};

struct GlobalCounts {
  unsigned sectors = 0;  // "L2 Theoretical Sectors Global": distinct 32-byte blocks
  unsigned ideal = 0;    // sectors if the same bytes lay side by side
  unsigned tags = 0;     // "L1 Tag Requests Global": distinct 128-byte lines

  constexpr unsigned excess() const { return sectors - ideal; }
  friend constexpr bool operator==(const GlobalCounts&, const GlobalCounts&) = default;
};

namespace detail {

// A set of at most kCapacity numbers on the stack.
template <unsigned kCapacity>
class SmallSet {
 public:
  // False when `value` was there already.
  constexpr bool insert(std::uint64_t value) {
    unsigned slot = static_cast<unsigned>(value * 0x9e3779b97f4a7c15u >> kShift);
    while (used_[slot / 64] >> slot % 64 & 1) {
      if (value_[slot] == value) return false;
      slot = (slot + 1) % kSlots;
    }
    used_[slot / 64] |= std::uint64_t{1} << slot % 64;
    value_[slot] = value;
    return true;
  }

 private:
  static constexpr unsigned kSlots = std::bit_ceil(8 * kCapacity);  // sparse: few second looks
  static constexpr unsigned kShift = 64 - std::bit_width(kSlots - 1);
  std::uint64_t used_[kSlots / 64] = {};
  std::uint64_t value_[kSlots];  // left unset on purpose: `used_` says which are valid
};

// Calls f(lane) for the lanes of `mask`, lowest first.
template <class F>
constexpr void for_each_lane(std::uint32_t mask, F&& f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

// Lanes that are served together: as many as fill the 128 bytes that the banks give at once.
constexpr unsigned lanes_a_group(unsigned bytes) { return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8; }

constexpr std::uint32_t group_mask(unsigned first, unsigned lanes) {
  return lanes >= 32 ? kAllLanes : ((1u << lanes) - 1) << first;
}

// Which words of one bank need a wavefront each.
enum class Words : bool {
  kDistinct,  // different words: lanes that agree are served by one broadcast
  kEveryLane  // every lane's word: atomics and asynchronous copies serve no two lanes at once
};

// The wavefronts of the lanes of `mask`: the most words that any one bank must give.
constexpr unsigned busiest_bank(const WarpAccess& warp, unsigned bytes, std::uint32_t mask, Words words) {
  const unsigned words_a_lane = std::max(1u, bytes / kWordBytes);
  SmallSet<64> seen;  // 32 lanes of 64 bits or 16 of 128 bits, after merging
  std::array<std::uint8_t, kBanks> load{};
  unsigned most = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t first = warp.address[lane] / kWordBytes;
    for (std::uint64_t word = first; word < first + words_a_lane; ++word) {
      if (words == Words::kDistinct && !seen.insert(word)) continue;
      most = std::max<unsigned>(most, ++load[word % kBanks]);
    }
  });
  return most;
}

struct Service {
  unsigned wavefronts = 0;
  unsigned groups = 0;  // that have an active lane: the wavefronts of a conflict-free access
};

// Groups of `group` neighbouring lanes are served one after another.
constexpr Service serve(const WarpAccess& warp, unsigned bytes, unsigned group, Words words, unsigned lanes = kLanes) {
  Service sum;
  for (unsigned first = 0; first < lanes; first += group) {
    const std::uint32_t mask = warp.active & group_mask(first, group);
    if (!mask) continue;
    sum.wavefronts += busiest_bank(warp, bytes, mask, words);
    ++sum.groups;
  }
  return sum;
}

// Whether every active lane agrees with lane ^ `distance`, or that lane is inactive.
constexpr bool pairs_agree(const WarpAccess& warp, unsigned distance) {
  bool agree = true;
  for_each_lane(warp.active, [&](unsigned lane) {
    const unsigned other = lane ^ distance;
    if ((warp.active >> other & 1) && warp.address[lane] != warp.address[other]) agree = false;
  });
  return agree;
}

// Loads of 64 and 128 bits are served in groups twice as large when neighbours i, i ^ 1 agree throughout the warp, or
// neighbours i, i ^ 2 do. Stores never are.
constexpr bool merges(const WarpAccess& warp) { return pairs_agree(warp, 1) || pairs_agree(warp, 2); }

// Checked: 512 of 512 patterns of 64 and 128 bits but one by the profiler's rule (a 128-bit load with inactive lanes);
// every launch total by the hardware's. The profiler merges only where the merged access is free of conflicts.
constexpr Service serve_load(const WarpAccess& warp, Rule rule) {
  const unsigned group = lanes_a_group(warp.bytes);
  const Service plain = serve(warp, warp.bytes, group, Words::kDistinct);
  if (warp.bytes <= kWordBytes || !merges(warp)) return plain;
  const Service merged = serve(warp, warp.bytes, 2 * group, Words::kDistinct);
  const bool merge = rule == Rule::kHardware || merged.wavefronts == merged.groups;
  return merge ? merged : plain;
}

constexpr unsigned divide_up(unsigned value, unsigned by) { return (value + by - 1) / by; }

constexpr unsigned active_bytes(const WarpAccess& warp) {
  return static_cast<unsigned>(std::popcount(warp.active)) * warp.bytes;
}

// Loads, stores and copies: the 128-byte rows of the banks that the bytes would fill.
constexpr SharedCounts by_volume(const WarpAccess& warp, Service service) {
  const unsigned rows = std::max(1u, divide_up(active_bytes(warp), kBanks * kWordBytes));
  return {service.wavefronts, std::min(service.wavefronts, rows), service.wavefronts - service.groups, false};
}

// An atomic that holds the banks `passes` times a wavefront; the ideal counts no bytes.
constexpr SharedCounts atomic(Service service, unsigned passes, unsigned ideal, bool estimate) {
  const unsigned wavefronts = passes * service.wavefronts;
  return {wavefronts, std::min(wavefronts, ideal), service.wavefronts - service.groups, estimate};
}

}  // namespace detail

// Shared memory. Wavefronts by kind; a group is 32 lanes up to 32 bits, 16 of 64 bits, 8 of 128 bits; groups add up:
//   load, store              distinct words of the busiest bank, a group (766 of 766 patterns up to 32 bits, 256 of 256
//                            wide stores; wide loads: see detail::serve_load)
//   ldmatrix, stmatrix .xN   the same for N groups of 8 lanes; .trans changes nothing (640 of 640)
//   atomic                   (lane, word) pairs of the busiest bank: equal words queue (384 of 384); 64 bits: estimate
//   increment                distinct words of the busiest bank (128 of 128)
//   compare and swap         twice the atomic's (128 of 128); 64 bits: half-warps add up (two executions: estimate)
//   compare and swap, spin   twice the distinct words (few samples, and its repetitions depend on timing: estimate)
//   cp.async.ca              (lane, word) pairs of the busiest bank, a group (384 of 384)
//   cp.async.cg              taken to be as .ca: the hardware's counter reads 0 (estimate)
// Conflicts are wavefronts less groups with an active lane (for compare and swap, of half the wavefronts): exact on
// every total of loads, stores, atomics and cp.async.ca.
constexpr SharedCounts shared(const WarpAccess& warp, Rule rule = Rule::kHardware) {
  using detail::Words;
  if (!warp.active) return {};
  const unsigned group = detail::lanes_a_group(warp.bytes);
  const auto serve = [&](Words words) { return detail::serve(warp, warp.bytes, group, words); };
  const bool wide = warp.bytes > kWordBytes;
  switch (warp.access) {
    case Access::kLoad:
      return detail::by_volume(warp, detail::serve_load(warp, rule));
    case Access::kStore:
      return detail::by_volume(warp, serve(Words::kDistinct));
    case Access::kAtomic:
      return detail::atomic(serve(Words::kEveryLane), 1, 1, wide);
    case Access::kIncrement:
      return detail::atomic(serve(Words::kDistinct), 1, 1, wide);
    case Access::kCompareSwap:
      return detail::atomic(serve(Words::kEveryLane), 2, wide ? 4 : 2, wide);
    case Access::kCompareSwapSpin:
      return detail::atomic(serve(Words::kDistinct), 2, wide ? 4 : 2, true);
    case Access::kMatrixLoad:
    case Access::kMatrixStore:
      return detail::atomic(detail::serve(warp, kMatrixRowBytes, 8, Words::kDistinct, 8u * warp.matrices), 1,
                            warp.matrices, false);
    case Access::kAsyncCopy:
      return detail::by_volume(warp, serve(Words::kEveryLane));
    case Access::kAsyncCopyBypass: {
      SharedCounts counts = detail::by_volume(warp, serve(Words::kEveryLane));
      counts.estimate = true;
      return counts;
    }
  }
  return {};
}

// Global memory, every kind of access of 8 to 128 bits: 1,792 of 1,792 patterns. The source of cp.async is a kLoad
// (sectors exact for .ca, tags for both).
constexpr GlobalCounts global(const WarpAccess& warp) {
  detail::SmallSet<kLanes> sectors, lines;
  GlobalCounts counts;
  detail::for_each_lane(warp.active, [&](unsigned lane) {
    if (!sectors.insert(warp.address[lane] / kSectorBytes)) return;
    ++counts.sectors;
    if (lines.insert(warp.address[lane] / kLineBytes)) ++counts.tags;
  });
  counts.ideal = std::min(counts.sectors, detail::divide_up(detail::active_bytes(warp), kSectorBytes));
  return counts;
}

// Local memory lies interleaved: a word of 8 neighbouring threads fills a 32-byte sector. Addresses are offsets in the
// thread's own memory; the count is "L2 Theoretical Sectors Local" (four of four totals).
constexpr unsigned local_sectors(const WarpAccess& warp) {
  constexpr unsigned kThreads = kSectorBytes / kWordBytes;
  const unsigned words_a_lane = std::max(1u, warp.bytes / kWordBytes);
  unsigned sectors = 0;
  for (unsigned first = 0; first < kLanes; first += kThreads) {
    detail::SmallSet<kThreads * 8> words;
    detail::for_each_lane(warp.active & detail::group_mask(first, kThreads), [&](unsigned lane) {
      const std::uint64_t word = warp.address[lane] / kWordBytes;
      for (unsigned i = 0; i < words_a_lane; ++i) sectors += words.insert(word + i);
    });
  }
  return sectors;
}

}  // namespace lanescope::memory_model
