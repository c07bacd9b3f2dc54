// The HIP runtime's interface as far as XSched uses it. The declarations are XSched's own, so that no ROCm is needed
// and one binary serves libamdhip64.so.5, .6 and .7. Enumerations are int, and structures whose members are not used
// are void; neither changes how a call is made. If Debian's headers are installed, a test compares every declaration
// that they have with hip_runtime_api.h. Types and constants have the vendor's names.
#pragma once

#include <cstddef>
#include <cstdint>

struct ihipStream_t;
struct ihipEvent_t;
struct ihipModuleSymbol_t;
struct ihipModule_t;
struct ihipCtx_t;
struct ihipMemPoolHandle_t;
struct ihipGraph;
struct hipGraphNode;
struct hipGraphExec;
struct hipArray;
struct hipMipmappedArray;

namespace xsched::hip {

using hipError_t = int;
using hipDevice_t = int;
using hipDeviceptr_t = void*;
using hipStream_t = ::ihipStream_t*;
using hipEvent_t = ::ihipEvent_t*;
using hipFunction_t = ::ihipModuleSymbol_t*;
using hipModule_t = ::ihipModule_t*;
using hipCtx_t = ::ihipCtx_t*;
using hipMemPool_t = ::ihipMemPoolHandle_t*;
using hipGraph_t = ::ihipGraph*;
using hipGraphNode_t = ::hipGraphNode*;
using hipGraphExec_t = ::hipGraphExec*;
using hipArray_t = ::hipArray*;
using hipArray_const_t = const ::hipArray*;
using hipMipmappedArray_t = ::hipMipmappedArray*;
enum hipMemcpyKind : int { hipMemcpyDeviceToHost = 2 };

struct dim3 {
    uint32_t x, y, z;
};
struct hipExtent {
    size_t width, height, depth;
};
struct hipPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct hipMemLocation {
    int type;
    int id;
};

struct hipIpcEventHandle_t {
    char reserved[64];
};
struct hipIpcMemHandle_t {
    char reserved[64];
};
struct hipLaunchParams {
    void* func;
    dim3 gridDim;
    dim3 blockDim;
    void** args;
    size_t sharedMem;
    hipStream_t stream;
};
struct hipFunctionLaunchParams {
    hipFunction_t function;
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    hipStream_t hStream;
    void** kernelParams;
};
struct hipLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    hipStream_t stream;
    void* attrs;
    unsigned numAttrs;
};
struct HIP_LAUNCH_CONFIG {
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    hipStream_t hStream;
    void* attrs;
    unsigned numAttrs;
};

inline constexpr hipError_t hipSuccess = 0;
inline constexpr hipError_t hipErrorInvalidValue = 1;
inline constexpr hipError_t hipErrorOutOfMemory = 2;
inline constexpr hipError_t hipErrorNotInitialized = 3;
inline constexpr hipError_t hipErrorDeinitialized = 4;
inline constexpr hipError_t hipErrorNoDevice = 100;
inline constexpr hipError_t hipErrorInvalidDevice = 101;
inline constexpr hipError_t hipErrorInvalidContext = 201;
inline constexpr hipError_t hipErrorInvalidHandle = 400;
inline constexpr hipError_t hipErrorNotReady = 600;
inline constexpr hipError_t hipErrorContextIsDestroyed = 709;
inline constexpr hipError_t hipErrorHostMemoryAlreadyRegistered = 712;
inline constexpr hipError_t hipErrorNotSupported = 801;

inline constexpr unsigned hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDisableTiming = 2;
inline constexpr unsigned hipHostRegisterPortable = 1;
inline constexpr unsigned hipHostRegisterMapped = 2;
inline constexpr unsigned hipMallocSignalMemory = 2;
inline constexpr unsigned hipStreamWaitValueGte = 0;
inline constexpr int HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4;
inline constexpr int HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8;
inline constexpr int HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9;
inline constexpr int HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11;
inline constexpr int HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12;
inline constexpr int hipStreamCaptureStatusNone = 0;
inline constexpr int hipStreamCaptureModeRelaxed = 2;
inline constexpr uint64_t hipEnablePerThreadDefaultStream = 2;  // of hipGetProcAddress and hipGetDriverEntryPoint

}  // namespace xsched::hip

namespace xsched {
namespace vendor = hip;
}
#include "platform/stream/hal/functions.h"

namespace xsched::hip {
namespace declared = stream::declared;
}
