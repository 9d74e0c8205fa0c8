// Warp accesses for property tests: the shapes that kernels have, and shapeless ones.
#pragma once

#include <rapidcheck.h>

#include <string>

#include "lanescope/memory_model.hpp"

namespace lanescope::memory_model {

inline bool is_matrix(Access access) { return access == Access::kMatrixLoad || access == Access::kMatrixStore; }

inline rc::Gen<unsigned> bytes_of(Access access) {
  switch (access) {
    case Access::kLoad:
    case Access::kStore:
      return rc::gen::element(1u, 2u, 4u, 8u, 16u);
    case Access::kAsyncCopy:
      return rc::gen::element(4u, 8u, 16u);
    case Access::kAsyncCopyBypass:
    case Access::kMatrixLoad:
    case Access::kMatrixStore:
      return rc::gen::just(16u);
    default:
      return rc::gen::element(4u, 8u);
  }
}

// Element indices, one a lane, all of them: a stride, a block, lanes that agree with a neighbour, or chance.
inline std::array<std::uint64_t, kLanes> any_elements() {
  const auto at_most = [](unsigned most) { return *rc::gen::inRange(0u, most + 1); };
  const unsigned shape = at_most(5), stride = at_most(40), width = 1u << at_most(5);
  const unsigned range = *rc::gen::element(8u, 64u, 4096u);
  std::array<std::uint64_t, kLanes> element{}, chance{};
  for (std::uint64_t& e : chance) e = at_most(range);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned of_shape[] = {lane * stride,
                                 lane % width * stride + lane / width,
                                 lane / width * stride + lane % width,
                                 static_cast<unsigned>(chance[lane]),
                                 static_cast<unsigned>(chance[lane & ~1u]),
                                 static_cast<unsigned>(chance[lane & ~2u])};
    element[lane] = of_shape[shape];
  }
  if (at_most(3) == 0) element[at_most(31)] = at_most(range);  // one lane out of step
  return element;
}

inline std::uint32_t any_mask() {
  if (*rc::gen::arbitrary<bool>()) return kAllLanes;
  const std::uint32_t mask = *rc::gen::arbitrary<std::uint32_t>();
  return mask ? mask : 1;
}

inline rc::Gen<Access> any_access() {
  return rc::gen::map(rc::gen::inRange(0, static_cast<int>(Access::kAsyncCopyBypass) + 1),
                      [](int access) { return static_cast<Access>(access); });
}

inline WarpAccess any_warp(Access access) {
  const unsigned bytes = *bytes_of(access);
  const auto element = any_elements();
  const auto address_of = [&](unsigned lane) { return element[lane] * bytes; };
  return is_matrix(access) ? matrix_access(access, *rc::gen::element(1u, 2u, 4u), address_of)
                           : warp_access(access, bytes, address_of, any_mask());
}

inline std::string to_text(const WarpAccess& warp) {
  std::string text = "access " + std::to_string(static_cast<int>(warp.access)) + ", bytes " +
                     std::to_string(warp.bytes) + ", matrices " + std::to_string(warp.matrices) + ":";
  for (unsigned lane = 0; lane < kLanes; ++lane)
    text += (warp.active >> lane & 1) ? " " + std::to_string(warp.address[lane]) : " -";
  return text;
}

}  // namespace lanescope::memory_model
