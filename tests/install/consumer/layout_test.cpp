// A unit test of a layout: the tile of a transpose, as it is and with two remedies.
#include <cstdio>
#include <lanescope/memory_model.hpp>

namespace mm = lanescope::memory_model;

// Lane i reads element [i][column] of a tile of floats.
constexpr unsigned column_wavefronts(unsigned pitch, bool swizzled, unsigned column) {
  return mm::shared(mm::warp_access(mm::Access::kLoad, sizeof(float),
                                    [&](unsigned row) {
                                      return (row * pitch + (swizzled ? column ^ row : column)) * sizeof(float);
                                    }))
      .wavefronts;
}

static_assert(column_wavefronts(32, false, 0) == 32);
static_assert(column_wavefronts(33, false, 0) == 1);
static_assert(column_wavefronts(32, true, 0) == 1);

int main() {
  for (unsigned column = 0; column < 32; ++column) {
    if (column_wavefronts(33, false, column) != 1 || column_wavefronts(32, true, column) != 1) {
      std::printf("column %u has bank conflicts\n", column);
      return 1;
    }
  }
  const mm::GlobalCounts rows = mm::global(
      mm::warp_access(mm::Access::kStore, sizeof(float), [](unsigned lane) { return lane * sizeof(float); }));
  return rows.sectors == 4 && rows.excess() == 0 ? 0 : 1;
}
