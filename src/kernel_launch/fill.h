// What buffers hold before the first launch.
#pragma once

#include <span>

#include "kernel_launch/argument.h"

namespace lanescope::kernel_launch {

// The size of a buffer in elements, and the bytes of its file where it has one.
struct Contents {
  std::uint64_t count = 0;
  std::vector<std::uint8_t> file;
};

// Reads the buffer's file and checks that its sizes agree.
Result<Contents> contents_of(const Buffer& buffer, const Names& names);

// Fills `to`, which has size_of(buffer.type) * contents.count zero bytes.
//
// random: element i of a seed is the i-th output of SplitMix64, so it does not depend on the buffer's size. Whole types
// take its low bits, or with a range its place in [low, high); decimals lie in [0, 1) or [low, high), in steps that the
// type has below 1.
Result<void> fill(const Buffer& buffer, const Contents& contents, const Names& names, std::span<std::uint8_t> to);

Result<std::vector<std::uint8_t>> read_bytes(const std::string& path);

}  // namespace lanescope::kernel_launch
