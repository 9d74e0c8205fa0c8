// Libraries: device code that a program loads by itself.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

template <class Body>
cudaError_t call_with(cudaLibrary_t library, Body&& body) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return rt.libraries.contains(library) ? body(rt, *library->image) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t add_library(Runtime& rt, cudaLibrary_t* handle, std::unique_ptr<Image> image) {
  auto library = std::make_unique<Library>();
  library->image = std::move(image);
  const std::lock_guard lock(rt.mutex);
  if (const cudaError_t error = load(rt, *library->image); error != cudaSuccess) return error;
  *handle = library.get();
  rt.libraries.emplace(library.get(), std::move(library));
  return cudaSuccess;
}

std::vector<const loader::Function*> kernels_of(const Image& image) {
  std::vector<const loader::Function*> kernels;
  for (const auto& function : image.module->functions) {
    if (function.is_kernel) kernels.push_back(&function);
  }
  return kernels;
}

cudaError_t give_variable(void** pointer, std::size_t* bytes, const Image& image, const char* name) {
  DeviceRange range;
  if (name == nullptr || !find_variable(image, name, range)) return cudaErrorSymbolNotFound;
  if (pointer != nullptr) *pointer = reinterpret_cast<void*>(range.address);
  if (bytes != nullptr) *bytes = range.bytes;
  return cudaSuccess;
}

}  // namespace

LANESCOPE_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, const void*, void**, unsigned,
                                              const void*, void**, unsigned) {
  return call([&](Runtime& rt) {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    const auto* wrapper = static_cast<const FatbinWrapper*>(code);
    const void* start = wrapper->magic == kFatbinWrapperMagic ? wrapper->data : code;
    const Bytes bytes = image_bytes(start);
    if (bytes.empty()) return cudaErrorInvalidKernelImage;
    auto image = std::make_unique<Image>();
    image->origin = "loaded library";
    image->file.assign(bytes.begin(), bytes.end());  // the caller may drop its copy
    return add_library(rt, library, std::move(image));
  });
}

LANESCOPE_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, const void*, void**,
                                                  unsigned, const void*, void**, unsigned) {
  return call([&](Runtime& rt) {
    if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    auto image = std::make_unique<Image>();
    image->origin = path;
    image->file.assign(std::istreambuf_iterator<char>(file), {});
    if (image->file.empty()) return cudaErrorInvalidKernelImage;
    return add_library(rt, library, std::move(image));
  });
}

LANESCOPE_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call_with(library, [&](Runtime& rt, Image& image) {
    for (const auto& kernel : image.kernels) rt.kernels.erase(kernel.get());
    unload(rt, image);
    rt.libraries.erase(library);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call_with(library, [&](Runtime& rt, Image& image) {
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = load(rt, image); error != cudaSuccess) return error;
    *kernel = add_kernel(rt, image, name);
    return *kernel == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return call_with(library, [&](Runtime& rt, Image& image) {
    if (count == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = load(rt, image); error != cudaSuccess) return error;
    *count = static_cast<unsigned>(kernels_of(image).size());
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return call_with(library, [&](Runtime& rt, Image& image) {
    if (kernels == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = load(rt, image); error != cudaSuccess) return error;
    const auto functions = kernels_of(image);
    for (unsigned i = 0; i < count && i < functions.size(); ++i) kernels[i] = add_kernel(rt, image, functions[i]->name);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cudaLibrary_t library,
                                               const char* name) {
  return call_with(library, [&](Runtime& rt, Image& image) {
    const cudaError_t error = load(rt, image);
    return error != cudaSuccess ? error : give_variable(pointer, bytes, image, name);
  });
}

}  // namespace lanescope::runtime
