// Test files of the loader, and modules read from them.
#pragma once

#include <string>
#include <vector>

#include "loader/fatbin.h"
#include "loader/module.h"

namespace lanescope::loader::test {

inline constexpr std::uint32_t kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

// A file below tests/.
std::vector<std::uint8_t> read_file(const std::string& path);

// The entries of a file that must be readable.
std::vector<FatbinEntry> entries_of(const std::string& path);

// The cubin for `sm` in a file of tests/data/loader/.
std::vector<std::uint8_t> cubin_of(const std::string& file, std::uint32_t sm);

// The module of that cubin; with the PTX of the file where it has some.
Module module_of(const std::string& file, std::uint32_t sm);

// The function whose demangled name begins with `name` and a bracket; fails the test when there is none.
const Function& function(const Module& module, const std::string& name);

const Variable& variable(const Module& module, const std::string& name);

template <class T>
T value_at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  return read_at<T>(bytes, offset).value();
}

}  // namespace lanescope::loader::test
