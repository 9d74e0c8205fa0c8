// Our declarations against the toolkit's: sizes, places and values. Built where CUDA 12's or 13's headers are; all is
// checked at compile time.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "runtime/cuda_types.h"

namespace {

namespace ours = lanescope::runtime;

#define SAME_SIZE(mine, theirs) static_assert(sizeof(ours::mine) == sizeof(theirs), #mine)
#define SAME_PLACE_AS(mine, theirs, member)                                 \
  static_assert(offsetof(ours::mine, member) == offsetof(theirs, member) && \
                    sizeof(ours::mine::member) == sizeof(theirs::member),   \
                #mine "::" #member)
#define SAME_PLACE(type, member) SAME_PLACE_AS(type, ::type, member)
#define SAME_VALUE(name) static_assert(static_cast<long>(ours::name) == static_cast<long>(::name), #name)

#define LANESCOPE_CUDA_ERROR(name, value, text) SAME_VALUE(name);
#include "runtime/errors.inc"

#define LANESCOPE_ATTRIBUTE(name, source) SAME_VALUE(cudaDevAttr##name);
#if CUDART_VERSION >= 13000
#include "runtime/device_attributes.inc"
#endif

#if CUDART_VERSION >= 13000
SAME_SIZE(DeviceProp13, cudaDeviceProp);
#define LANESCOPE_PROP_BOTH(type, name, array) SAME_PLACE_AS(DeviceProp13, ::cudaDeviceProp, name);
#define LANESCOPE_PROP_12(type, name, array)
#define LANESCOPE_PROP_13(type, name, array) SAME_PLACE_AS(DeviceProp13, ::cudaDeviceProp, name);
#include "runtime/device_prop.inc"
SAME_SIZE(PointerAttributes13, cudaPointerAttributes);
SAME_PLACE_AS(PointerAttributes13, ::cudaPointerAttributes, reserved);
#else
SAME_SIZE(DeviceProp12, cudaDeviceProp);
#define LANESCOPE_PROP_BOTH(type, name, array) SAME_PLACE_AS(DeviceProp12, ::cudaDeviceProp, name);
#define LANESCOPE_PROP_12(type, name, array) SAME_PLACE_AS(DeviceProp12, ::cudaDeviceProp, name);
#define LANESCOPE_PROP_13(type, name, array)
#include "runtime/device_prop.inc"
SAME_SIZE(PointerAttributes12, cudaPointerAttributes);
#endif
// One implementation fills both versions' structure.
#define SAME_POINTER_FIELD(member)                                     \
  SAME_PLACE_AS(PointerAttributes12, ::cudaPointerAttributes, member); \
  static_assert(offsetof(ours::PointerAttributes12, member) == offsetof(ours::PointerAttributes13, member))
SAME_POINTER_FIELD(type);
SAME_POINTER_FIELD(device);
SAME_POINTER_FIELD(devicePointer);
SAME_POINTER_FIELD(hostPointer);

SAME_SIZE(dim3, dim3);
SAME_SIZE(cudaExtent, cudaExtent);
SAME_SIZE(cudaPos, cudaPos);
SAME_SIZE(cudaPitchedPtr, cudaPitchedPtr);
SAME_PLACE(cudaPitchedPtr, ysize);
SAME_SIZE(cudaMemcpy3DParms, cudaMemcpy3DParms);
SAME_PLACE(cudaMemcpy3DParms, srcPos);
SAME_PLACE(cudaMemcpy3DParms, srcPtr);
SAME_PLACE(cudaMemcpy3DParms, dstArray);
SAME_PLACE(cudaMemcpy3DParms, dstPos);
SAME_PLACE(cudaMemcpy3DParms, dstPtr);
SAME_PLACE(cudaMemcpy3DParms, extent);
SAME_PLACE(cudaMemcpy3DParms, kind);
SAME_SIZE(cudaMemcpy3DPeerParms, cudaMemcpy3DPeerParms);
SAME_PLACE(cudaMemcpy3DPeerParms, dstArray);
SAME_PLACE(cudaMemcpy3DPeerParms, dstDevice);
SAME_PLACE(cudaMemcpy3DPeerParms, extent);
SAME_SIZE(cudaChannelFormatDesc, cudaChannelFormatDesc);
SAME_PLACE(cudaChannelFormatDesc, f);

SAME_SIZE(cudaFuncAttributes, cudaFuncAttributes);
SAME_PLACE(cudaFuncAttributes, sharedSizeBytes);
SAME_PLACE(cudaFuncAttributes, constSizeBytes);
SAME_PLACE(cudaFuncAttributes, localSizeBytes);
SAME_PLACE(cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(cudaFuncAttributes, numRegs);
SAME_PLACE(cudaFuncAttributes, ptxVersion);
SAME_PLACE(cudaFuncAttributes, binaryVersion);
SAME_PLACE(cudaFuncAttributes, cacheModeCA);
SAME_PLACE(cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(cudaFuncAttributes, preferredShmemCarveout);
SAME_PLACE(cudaFuncAttributes, clusterDimMustBeSet);
SAME_PLACE(cudaFuncAttributes, requiredClusterWidth);
SAME_PLACE(cudaFuncAttributes, requiredClusterDepth);
SAME_PLACE(cudaFuncAttributes, clusterSchedulingPolicyPreference);
SAME_PLACE(cudaFuncAttributes, nonPortableClusterSizeAllowed);

SAME_SIZE(cudaMemLocation, cudaMemLocation);
SAME_PLACE(cudaMemLocation, id);
SAME_SIZE(cudaMemAccessDesc, cudaMemAccessDesc);
SAME_PLACE(cudaMemAccessDesc, flags);
SAME_SIZE(cudaMemPoolProps, cudaMemPoolProps);
SAME_PLACE(cudaMemPoolProps, location);
SAME_PLACE(cudaMemPoolProps, maxSize);
SAME_SIZE(cudaLaunchAttributeValue, cudaLaunchAttributeValue);
SAME_PLACE(cudaLaunchAttributeValue, clusterDim);
SAME_PLACE(cudaLaunchAttributeValue, programmaticEvent);
SAME_PLACE(cudaLaunchAttributeValue, launchCompletionEvent);
SAME_SIZE(cudaLaunchAttribute, cudaLaunchAttribute);
SAME_PLACE(cudaLaunchAttribute, val);
SAME_SIZE(cudaLaunchConfig_t, cudaLaunchConfig_t);
SAME_PLACE(cudaLaunchConfig_t, blockDim);
SAME_PLACE(cudaLaunchConfig_t, dynamicSmemBytes);
SAME_PLACE(cudaLaunchConfig_t, stream);
SAME_PLACE(cudaLaunchConfig_t, attrs);
SAME_PLACE(cudaLaunchConfig_t, numAttrs);

SAME_VALUE(cudaMemcpyHostToHost);
SAME_VALUE(cudaMemcpyHostToDevice);
SAME_VALUE(cudaMemcpyDeviceToHost);
SAME_VALUE(cudaMemcpyDeviceToDevice);
SAME_VALUE(cudaMemcpyDefault);
SAME_VALUE(cudaMemoryTypeUnregistered);
SAME_VALUE(cudaMemoryTypeHost);
SAME_VALUE(cudaMemoryTypeDevice);
SAME_VALUE(cudaMemoryTypeManaged);
SAME_VALUE(cudaChannelFormatKindSigned);
SAME_VALUE(cudaChannelFormatKindNone);
SAME_VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize);
SAME_VALUE(cudaFuncAttributePreferredSharedMemoryCarveout);
SAME_VALUE(cudaFuncAttributeRequiredClusterWidth);
SAME_VALUE(cudaFuncAttributeNonPortableClusterSizeAllowed);
SAME_VALUE(cudaFuncAttributeClusterSchedulingPolicyPreference);
SAME_VALUE(cudaLimitStackSize);
SAME_VALUE(cudaLimitPersistingL2CacheSize);
SAME_VALUE(cudaMemLocationTypeDevice);
SAME_VALUE(cudaMemLocationTypeHost);
SAME_VALUE(cudaMemAccessFlagsProtReadWrite);
SAME_VALUE(cudaMemAllocationTypePinned);
SAME_VALUE(cudaMemPoolReuseFollowEventDependencies);
SAME_VALUE(cudaMemPoolReuseAllowInternalDependencies);
SAME_VALUE(cudaMemPoolAttrReleaseThreshold);
SAME_VALUE(cudaMemPoolAttrUsedMemHigh);
SAME_VALUE(cudaLaunchAttributeCooperative);
SAME_VALUE(cudaLaunchAttributeClusterDimension);
SAME_VALUE(cudaLaunchAttributeProgrammaticStreamSerialization);
SAME_VALUE(cudaLaunchAttributeProgrammaticEvent);
SAME_VALUE(cudaLaunchAttributeLaunchCompletionEvent);
SAME_VALUE(cudaLaunchAttributePreferredSharedMemoryCarveout);
SAME_VALUE(cudaStreamCaptureStatusNone);
SAME_VALUE(cudaStreamCaptureModeRelaxed);
SAME_VALUE(cudaSharedMemBankSizeFourByte);

#define SAME_FLAG(mine, theirs) static_assert(ours::mine == theirs, #theirs)
SAME_FLAG(kHostAllocPortable, cudaHostAllocPortable);
SAME_FLAG(kHostAllocMapped, cudaHostAllocMapped);
SAME_FLAG(kHostAllocWriteCombined, cudaHostAllocWriteCombined);
SAME_FLAG(kHostRegisterPortable, cudaHostRegisterPortable);
SAME_FLAG(kHostRegisterMapped, cudaHostRegisterMapped);
SAME_FLAG(kHostRegisterIoMemory, cudaHostRegisterIoMemory);
SAME_FLAG(kHostRegisterReadOnly, cudaHostRegisterReadOnly);
SAME_FLAG(kMemAttachGlobal, cudaMemAttachGlobal);
SAME_FLAG(kMemAttachHost, cudaMemAttachHost);
SAME_FLAG(kMemAttachSingle, cudaMemAttachSingle);
SAME_FLAG(kStreamNonBlocking, cudaStreamNonBlocking);
SAME_FLAG(kEventBlockingSync, cudaEventBlockingSync);
SAME_FLAG(kEventDisableTiming, cudaEventDisableTiming);
SAME_FLAG(kEventInterprocess, cudaEventInterprocess);
SAME_FLAG(kDeviceScheduleMask, cudaDeviceScheduleMask);
SAME_FLAG(kDeviceMapHost, cudaDeviceMapHost);
SAME_FLAG(kDeviceFlagsMask, cudaDeviceMask);

TEST(Abi, IsTheToolkits) { SUCCEED() << "checked by the compiler"; }

}  // namespace
