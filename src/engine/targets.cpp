// The choice among the targets that the operations were compiled for.
#include <cstdlib>
#include <string_view>

#include "engine/ops/lower.h"

namespace lanescope::engine {

const Target& best_target() {
  static const Target& best = []() -> const Target& {
    [[maybe_unused]] const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                     __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                                     __builtin_cpu_supports("avx512vl");
    [[maybe_unused]] const bool v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const char* const variable = std::getenv("LANESCOPE_TARGET");
    [[maybe_unused]] const std::string_view wanted = variable != nullptr ? variable : "";
#if defined(LANESCOPE_HAS_TARGET_avx512)
    if (v4 && wanted != "avx2" && wanted != "base") return target_avx512::target();
#endif
#if defined(LANESCOPE_HAS_TARGET_avx2)
    if (v3 && wanted != "base") return target_avx2::target();
#endif
    return target_base::target();
  }();
  return best;
}

}  // namespace lanescope::engine
