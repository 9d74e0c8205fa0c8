#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "loader/module.h"

namespace lanescope::loader {

std::string demangle(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : mangled;
}

}  // namespace lanescope::loader
