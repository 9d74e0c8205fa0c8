// What a kernel's name tells of its parameters: machine code has only their sizes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_launch/type.h"
#include "loader/module.h"

namespace lanescope::kernel_launch {

// "void scale<(int)4>(const float *, int)" -> "const float *", "int"; nothing for a name without parameters, as
// extern "C" kernels have.
std::optional<std::vector<std::string>> parameter_types(std::string_view demangled);

// What is known of one parameter. `text` is empty where nothing is.
struct ParameterType {
  std::string text;            // "const float *", or PTX's ".f32"
  bool pointer = false;        // certainly one; an address can also go into a scalar of 64 bits
  std::optional<Type> scalar;  // nothing for structures and what is not known
};

// For each parameter of the kernel, from its name or else from its PTX.
std::vector<ParameterType> parameter_types(const loader::Function& kernel, std::string_view ptx);

// "void scale<(int)4>(const float *)" -> "scale".
std::string_view bare_name(std::string_view demangled);

}  // namespace lanescope::kernel_launch
