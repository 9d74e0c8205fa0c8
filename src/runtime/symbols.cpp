// Device variables by the host symbols that stand for them.
#include <cstring>

#include "runtime/call.h"
#include "runtime/reach.h"
#include "runtime/streams.h"

namespace lanescope::runtime {
namespace {

cudaError_t find_symbol(Runtime& rt, const void* symbol, DeviceRange& range) {
  const std::lock_guard lock(rt.mutex);
  const auto found = rt.variables_by_shadow.find(symbol);
  if (found != rt.variables_by_shadow.end()) {
    Image& image = *found->second->image;
    if (const cudaError_t error = load(rt, image); error != cudaSuccess) return error;
    return find_variable(image, found->second->name, range) ? cudaSuccess : cudaErrorInvalidSymbol;
  }
  // Of a managed variable programs pass the variable itself.
  const auto address = reinterpret_cast<std::uint64_t>(symbol);
  for (const auto& [shadow, variable] : rt.variables_by_shadow) {
    const bool is_it = variable->managed && *variable->managed_pointer == symbol && variable->image->loaded;
    if (is_it && find_variable(*variable->image, variable->name, range) && range.address == address) return cudaSuccess;
  }
  return cudaErrorInvalidSymbol;
}

// The symbol's bytes [offset, offset + bytes), where this process can touch them.
cudaError_t reach_symbol(Runtime& rt, const void* symbol, std::size_t offset, std::size_t bytes, std::uint8_t*& at) {
  DeviceRange range;
  if (const cudaError_t error = find_symbol(rt, symbol, range); error != cudaSuccess) return error;
  if (offset > range.bytes || bytes > range.bytes - offset) return cudaErrorInvalidValue;
  at = rt.memory->view(range.address + offset, bytes);
  return at == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t copy_to_symbol(Runtime& rt, const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                           cudaMemcpyKind kind) {
  Side to{}, side{};
  if (!sides_of(kind, to, side) || to == Side::kHost) return cudaErrorInvalidMemcpyDirection;
  std::uint8_t* at = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = reach_symbol(rt, symbol, offset, bytes, at); error != cudaSuccess) return error;
  const std::uint8_t* const in = reach(rt, from, bytes, side);
  if (in == nullptr) return cudaErrorInvalidValue;
  std::memmove(at, in, bytes);
  return cudaSuccess;
}

cudaError_t copy_from_symbol(Runtime& rt, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind) {
  Side side{}, from{};
  if (!sides_of(kind, side, from) || from == Side::kHost) return cudaErrorInvalidMemcpyDirection;
  std::uint8_t* at = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = reach_symbol(rt, symbol, offset, bytes, at); error != cudaSuccess) return error;
  std::uint8_t* const out = reach(rt, to, bytes, side);
  if (out == nullptr) return cudaErrorInvalidValue;
  std::memmove(out, at, bytes);
  return cudaSuccess;
}

}  // namespace

LANESCOPE_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call([&](Runtime& rt) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    DeviceRange range;
    const cudaError_t error = find_symbol(rt, symbol, range);
    if (error == cudaSuccess) *pointer = reinterpret_cast<void*>(range.address);
    return error;
  });
}

LANESCOPE_API cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call([&](Runtime& rt) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    DeviceRange range;
    const cudaError_t error = find_symbol(rt, symbol, range);
    if (error == cudaSuccess) *bytes = range.bytes;
    return error;
  });
}

LANESCOPE_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy_to_symbol(rt, symbol, from, bytes, offset, kind); });
}
LANESCOPE_ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)

LANESCOPE_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                                  std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& rt) {
    return valid_stream(rt, stream) ? copy_to_symbol(rt, symbol, from, bytes, offset, kind)
                                    : cudaErrorInvalidResourceHandle;
  });
}
LANESCOPE_ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                               cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy_from_symbol(rt, to, symbol, bytes, offset, kind); });
}
LANESCOPE_ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)

LANESCOPE_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& rt) {
    return valid_stream(rt, stream) ? copy_from_symbol(rt, to, symbol, bytes, offset, kind)
                                    : cudaErrorInvalidResourceHandle;
  });
}
LANESCOPE_ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

}  // namespace lanescope::runtime
