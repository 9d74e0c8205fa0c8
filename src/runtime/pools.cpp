// Memory pools: every allocation comes from the one arena, so a pool is its attributes.
#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

bool valid_pool(Runtime& rt, cudaMemPool_t pool) { return pool == &rt.default_pool || rt.pools.contains(pool); }

template <class Body>
cudaError_t call_with(cudaMemPool_t pool, Body&& body) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return valid_pool(rt, pool) ? body(rt) : cudaErrorInvalidValue;
  });
}

bool is_reuse(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t give_pool(cudaMemPool_t* pool, int device, bool current) {
  return call([&](Runtime& rt) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const std::lock_guard lock(rt.mutex);
    *pool = current ? rt.current_pool : &rt.default_pool;
    return cudaSuccess;
  });
}

}  // namespace

LANESCOPE_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, false);
}

LANESCOPE_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return give_pool(pool, device, true);
}

LANESCOPE_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call_with(pool, [&](Runtime& rt) {
    if (device != 0) return cudaErrorInvalidDevice;
    rt.current_pool = pool;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&](Runtime& rt) {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    auto made = std::make_unique<MemoryPool>();
    *pool = made.get();
    rt.pools.emplace(made.get(), std::move(made));
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    if (rt.current_pool == pool) rt.current_pool = &rt.default_pool;
    return rt.pools.erase(pool) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

LANESCOPE_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return call_with(pool, [](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call_with(pool, [&](Runtime&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
      pool->reuse[attribute - 1] = *static_cast<int*>(value);
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      pool->release_threshold = *static_cast<std::uint64_t*>(value);
    } else if (attribute != cudaMemPoolAttrReservedMemHigh && attribute != cudaMemPoolAttrUsedMemHigh) {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call_with(pool, [&](Runtime& rt) {
    if (value == nullptr || attribute < 1 || attribute > cudaMemPoolAttrUsedMemHigh) return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
      *static_cast<int*>(value) = pool->reuse[attribute - 1];
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      *static_cast<std::uint64_t*>(value) = pool->release_threshold;
    } else {
      *static_cast<std::uint64_t*>(value) = rt.memory == nullptr ? 0 : rt.memory->used();
    }
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, std::size_t count) {
  return call_with(pool, [&](Runtime&) { return count != 0 && list == nullptr ? cudaErrorInvalidValue : cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                               cudaMemLocation* location) {
  return call_with(pool, [&](Runtime&) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

}  // namespace lanescope::runtime
