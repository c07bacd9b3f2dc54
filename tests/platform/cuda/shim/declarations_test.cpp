// XSched's own declarations of the driver's functions against the toolkit's cuda.h, where one is installed: a
// difference does not compile. Enumerations count as int there, structures and function pointers as void.
#define __CUDA_API_VERSION_INTERNAL  // every form of every function, and no macro that renames them
#include <cuda.h>
#include <cudaGL.h>

#include <cstddef>
#include <type_traits>

// Declarations of functions that older toolkits lack, as in NVIDIA's public references.
extern "C" {
#if CUDA_VERSION < 13010
CUresult cuMulticastBindAddr_v2(CUmemGenericAllocationHandle group, CUdevice device, size_t offset, CUdeviceptr memory,
                                size_t bytes, unsigned long long flags);
CUresult cuMulticastBindMem_v2(CUmemGenericAllocationHandle group, CUdevice device, size_t offset,
                               CUmemGenericAllocationHandle memory, size_t from, size_t bytes,
                               unsigned long long flags);
#endif
#if CUDA_VERSION < 13020
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes*, CUstream);
CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP* copy, unsigned long long flags, CUstream);
CUresult cuLaunchHostFunc_v2(CUstream, CUhostFn function, void* data, unsigned int mode);
CUresult cuStreamBeginCaptureToCig(CUstream, void* parameters);
CUresult cuStreamEndCaptureToCig(CUstream);
#endif
#if CUDA_VERSION < 13030
CUresult cuStreamBeginRecaptureToGraph(CUstream, CUstreamCaptureMode, CUgraph, void* callback, void* data);
#endif
}

static_assert(CU_MEMHOSTREGISTER_PORTABLE == 1 && CU_MEMHOSTREGISTER_DEVICEMAP == 2);
#undef CU_MEMHOSTREGISTER_PORTABLE
#undef CU_MEMHOSTREGISTER_DEVICEMAP
#include "platform/cuda/hal/api.h"
#include "platform/stream/hal/launch_attribute.h"
#include "platform/stream/shim/declarations.h"

namespace ours = xsched::cuda;
static_assert(ours::CU_MEMHOSTREGISTER_PORTABLE == 1 && ours::CU_MEMHOSTREGISTER_DEVICEMAP == 2);

// Handles stay what they are.
template <>
struct Plain<CUmemLocation> {
    using Type = ours::CUmemLocation;
};
template <>
struct Plain<CUipcEventHandle> {
    using Type = ours::CUipcEventHandle;
};
template <>
struct Plain<CUipcMemHandle> {
    using Type = ours::CUipcMemHandle;
};
template <typename T, typename = void>
constexpr bool kComplete = false;
template <typename T>
constexpr bool kComplete<T, std::void_t<decltype(sizeof(T))>> = true;

template <typename T>
struct Plain<T*> {
    using Bare = std::remove_const_t<T>;
    static constexpr bool kData =
        std::is_function_v<Bare> || std::is_union_v<Bare> || (std::is_class_v<Bare> && kComplete<Bare>);
    using Target = typename std::conditional_t<kData, Void, Plain<Bare>>::Type;
    using Type = std::conditional_t<std::is_const_v<T>, const Target, Target>*;
};

// The per-thread forms have the signature of the plain ones.
#define FUNCTION(result, name, ...) \
    static_assert(kSame<decltype(&::name), ours::declared::name>, #name " differs from cuda.h");
#define PER_THREAD(result, name, ...)
#include "functions.inc"

static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(ours::CUlaunchConfig, hStream));
static_assert(sizeof(CUlaunchConfig) == sizeof(ours::CUlaunchConfig));
using Attribute = xsched::stream::LaunchAttribute;
static_assert(sizeof(CUlaunchAttribute) == sizeof(Attribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(Attribute, value));
static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == xsched::stream::kCooperativeAttribute);
static_assert(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT == xsched::stream::kProgrammaticEventAttribute);
static_assert(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT == xsched::stream::kCompletionEventAttribute);
static_assert(offsetof(CUlaunchAttributeValue, programmaticEvent.event) == 0);
static_assert(offsetof(CUlaunchAttributeValue, launchCompletionEvent.event) == 0);
static_assert(offsetof(CUDA_LAUNCH_PARAMS, hStream) == offsetof(ours::CUDA_LAUNCH_PARAMS, hStream));
static_assert(sizeof(CUDA_LAUNCH_PARAMS) == sizeof(ours::CUDA_LAUNCH_PARAMS));
static_assert(sizeof(CUmemcpyAttributes) == sizeof(ours::CUmemcpyAttributes));
static_assert(sizeof(CUmemLocation) == sizeof(ours::CUmemLocation));
static_assert(sizeof(CUipcEventHandle) == sizeof(ours::CUipcEventHandle));

SAME_VALUE(CUDA_SUCCESS)
SAME_VALUE(CUDA_ERROR_NOT_INITIALIZED)
SAME_VALUE(CUDA_ERROR_DEINITIALIZED)
SAME_VALUE(CUDA_ERROR_NO_DEVICE)
SAME_VALUE(CUDA_ERROR_INVALID_CONTEXT)
SAME_VALUE(CUDA_ERROR_INVALID_HANDLE)
SAME_VALUE(CUDA_ERROR_NOT_READY)
SAME_VALUE(CUDA_ERROR_CONTEXT_IS_DESTROYED)
SAME_VALUE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
SAME_VALUE(CUDA_ERROR_NOT_SUPPORTED)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
SAME_VALUE(CU_STREAM_NON_BLOCKING)
SAME_VALUE(CU_STREAM_WAIT_VALUE_GEQ)
SAME_VALUE(CU_EVENT_DISABLE_TIMING)
SAME_VALUE(CU_STREAM_CAPTURE_STATUS_NONE)
SAME_VALUE(CU_STREAM_CAPTURE_MODE_RELAXED)
SAME_VALUE(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
