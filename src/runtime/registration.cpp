// What nvcc's code in a program calls before main: its fatbins, and which host symbol stands for which kernel or
// variable. Nothing is read here, so that a program that uses no kernel pays nothing.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

Image& to_image(void** handle) { return *reinterpret_cast<Image*>(handle); }

void** add_image(const FatbinWrapper& wrapper) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  auto image = std::make_unique<Image>();
  image->origin = fmt::format("program, image {}", rt.images.size() + 1);
  image->fatbins.push_back(wrapper.data);
  Image* const key = image.get();
  rt.images.emplace(key, std::move(image));
  return reinterpret_cast<void**>(key);
}

void forget(Runtime& rt, Image& image) {
  std::erase_if(rt.kernels_by_stub, [&](const auto& entry) { return entry.second->image == &image; });
  std::erase_if(rt.variables_by_shadow, [&](const auto& entry) { return entry.second->image == &image; });
  for (const auto& kernel : image.kernels) rt.kernels.erase(kernel.get());
  unload(rt, image);
}

Variable& add_variable(Runtime& rt, Image& image, const void* shadow, const char* name) {
  auto& variable = *image.variables.emplace_back(std::make_unique<Variable>(Variable{&image, name}));
  rt.variables_by_shadow[shadow] = &variable;
  return variable;
}

}  // namespace

LANESCOPE_API void** __cudaRegisterFatBinary(void* wrapper) {
  runtime().spool.start();
  const auto& fatbin = *static_cast<const FatbinWrapper*>(wrapper);
  if (fatbin.magic != kFatbinWrapperMagic) say("the program registers device code of an unknown form; it cannot run");
  return add_image(fatbin);
}

LANESCOPE_API void __cudaRegisterFatBinaryEnd(void**) {}

LANESCOPE_API void __cudaUnregisterFatBinary(void** handle) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  const auto found = rt.images.find(&to_image(handle));
  if (found == rt.images.end()) return;
  forget(rt, *found->second);
  rt.images.erase(found);
}

LANESCOPE_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*,
                                          dim3*, dim3*, int*) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.kernels_by_stub[stub] = add_kernel(rt, to_image(handle), name);
}

LANESCOPE_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t, int, int) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  add_variable(rt, to_image(handle), shadow, name);
}

LANESCOPE_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, std::size_t,
                                            int, int) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  Variable& variable = add_variable(rt, to_image(handle), pointer, name);
  variable.managed = true;
  variable.managed_pointer = pointer;
}

// Called before the host first touches a managed variable; true means that this has been done.
LANESCOPE_API char __cudaInitModule(void** handle) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  return load(rt, to_image(handle)) == cudaSuccess ? 1 : 0;
}

LANESCOPE_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

LANESCOPE_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  return query([&](Runtime& rt) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    const auto found = rt.kernels_by_stub.find(stub);
    if (found == rt.kernels_by_stub.end()) return cudaErrorInvalidDeviceFunction;
    *kernel = found->second;
    return cudaSuccess;
  });
}

}  // namespace lanescope::runtime
