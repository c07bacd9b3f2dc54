// Every HIP function that XSched handles itself: one line each, checked against api/hip.json by the compiler. SPT lines
// stand for two functions, the second of programs with one default stream per thread.
#include "platform/hip/shim/contexts.h"
#include "platform/hip/shim/last_error.h"
#include "platform/hip/shim/launch.h"
#include "platform/hip/shim/platform.h"
#include "platform/hip/shim/proc_address.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/ordered.h"
#include "platform/stream/shim/trace.h"

namespace xsched::hip {
namespace {

using namespace xsched::stream;

#define HOOK_IS(name, ...) constexpr auto hook_##name = __VA_ARGS__;

// --- scheduled
#define ASYNC(name) HOOK_IS(name, &Scheduled<kEntry_##name>::call)
#define ASYNC_SPT(name) ASYNC(name) ASYNC(name##_spt)
// On the NULL stream.
#define ON_NULL(name) ASYNC(name)
#define ON_NULL_SPT(name) ASYNC(name) ASYNC(name##_spt)
// Returns when the copied data is there, and with it all before: always, or if the copy is one to the host.
#define READ_BACK(name) HOOK_IS(name, &Copied<kEntry_##name, true>::call)
#define COPY(name) HOOK_IS(name, &Copied<kEntry_##name>::call)
#define COPY_SPT(name) COPY(name) COPY(name##_spt)
#define WITH_EVENTS(name) HOOK_IS(name, &WithEvents<kEntry_##name>::call)
#define ON_SEVERAL(name) HOOK_IS(name, &OnSeveral<kEntry_##name>::call)

ASYNC_SPT(hipLaunchKernel)
ASYNC(hipModuleLaunchKernel)
ASYNC(hipLaunchKernelExC)
ASYNC(hipDrvLaunchKernelEx)
ASYNC_SPT(hipLaunchCooperativeKernel)
ASYNC(hipModuleLaunchCooperativeKernel)
ASYNC_SPT(hipGraphLaunch)
ASYNC(hipGraphUpload)
ASYNC_SPT(hipLaunchHostFunc)
ASYNC_SPT(hipStreamAddCallback)

ASYNC_SPT(hipMemcpyAsync)
ASYNC(hipMemcpyHtoDAsync)
ASYNC(hipMemcpyDtoHAsync)
ASYNC(hipMemcpyDtoDAsync)
ASYNC(hipMemcpyHtoAAsync)
ASYNC(hipMemcpyAtoHAsync)
ASYNC(hipMemcpyPeerAsync)
ASYNC(hipMemcpyParam2DAsync)
ASYNC_SPT(hipMemcpy2DAsync)
ASYNC_SPT(hipMemcpy2DToArrayAsync)
ASYNC_SPT(hipMemcpy2DFromArrayAsync)
ASYNC_SPT(hipMemcpy3DAsync)
ASYNC(hipDrvMemcpy3DAsync)
ASYNC_SPT(hipMemcpyToSymbolAsync)
ASYNC_SPT(hipMemcpyFromSymbolAsync)
ASYNC(hipMemcpyBatchAsync)
ASYNC(hipMemcpy3DBatchAsync)
ASYNC(hipMemcpy3DPeerAsync)

ASYNC_SPT(hipMemsetAsync)
ASYNC(hipMemsetD8Async)
ASYNC(hipMemsetD16Async)
ASYNC(hipMemsetD32Async)
ASYNC_SPT(hipMemset2DAsync)
ASYNC_SPT(hipMemset3DAsync)
ASYNC(hipMemsetD2D8Async)
ASYNC(hipMemsetD2D16Async)
ASYNC(hipMemsetD2D32Async)

ASYNC(hipMallocAsync)
ASYNC(hipMallocFromPoolAsync)
ASYNC(hipFreeAsync)
ASYNC(hipMemMapArrayAsync)
ASYNC(hipMemPrefetchAsync)
ASYNC(hipMemPrefetchAsync_v2)
ASYNC(hipMemPrefetchBatchAsync)
ASYNC(hipStreamAttachMemAsync)
ASYNC(hipStreamWaitValue32)
ASYNC(hipStreamWaitValue64)
ASYNC(hipStreamWriteValue32)
ASYNC(hipStreamWriteValue64)
ASYNC(hipStreamBatchMemOp)
ASYNC(hipSignalExternalSemaphoresAsync)
ASYNC(hipWaitExternalSemaphoresAsync)
ASYNC(hipGraphicsMapResources)
ASYNC(hipGraphicsUnmapResources)

WITH_EVENTS(hipExtLaunchKernel)
WITH_EVENTS(hipExtModuleLaunchKernel)
WITH_EVENTS(hipHccModuleLaunchKernel)
WITH_EVENTS(_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j)
WITH_EVENTS(_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_)
ON_SEVERAL(hipExtLaunchMultiKernelMultiDevice)
ON_SEVERAL(hipLaunchCooperativeKernelMultiDevice)
ON_SEVERAL(hipModuleLaunchCooperativeKernelMultiDevice)
HOOK_IS(hipConfigureCall, &configure_call)
HOOK_IS(hipLaunchByPtr, &launch_by_pointer)
HOOK_IS(_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv, &launch_with_references)

COPY_SPT(hipMemcpy)
COPY(hipMemcpyWithStream)
COPY_SPT(hipMemcpy2D)
COPY_SPT(hipMemcpy2DToArray)
COPY_SPT(hipMemcpy2DFromArray)
COPY(hipMemcpy2DArrayToArray)
COPY(hipMemcpyToArray)
COPY_SPT(hipMemcpyFromArray)
COPY_SPT(hipMemcpyToSymbol)
COPY_SPT(hipMemcpyFromSymbol)
READ_BACK(hipMemcpyDtoH)
READ_BACK(hipMemcpyAtoH)
ON_NULL(hipMemcpyHtoD)
ON_NULL(hipMemcpyDtoD)
ON_NULL(hipMemcpyHtoA)
ON_NULL(hipMemcpyAtoD)
ON_NULL(hipMemcpyDtoA)
ON_NULL(hipMemcpyAtoA)
ON_NULL(hipMemcpyPeer)
ON_NULL(hipMemcpyParam2D)
ON_NULL_SPT(hipMemcpy3D)
ON_NULL(hipDrvMemcpy3D)
ON_NULL(hipDrvMemcpy2DUnaligned)
ON_NULL(hipMemcpy3DPeer)
ON_NULL_SPT(hipMemset)
ON_NULL(hipMemsetD8)
ON_NULL(hipMemsetD16)
ON_NULL(hipMemsetD32)
ON_NULL_SPT(hipMemset2D)
ON_NULL_SPT(hipMemset3D)
ON_NULL(hipMemsetD2D8)
ON_NULL(hipMemsetD2D16)
ON_NULL(hipMemsetD2D32)

// --- ordered
#define HOOKED(name, function) HOOK_IS(name, &function<kEntry_##name>)
#define HOOKED_SPT(name, function) HOOKED(name, function) HOOKED(name##_spt, function)
#define HOOKED_WITH(name, function, ...) HOOK_IS(name, &function<kEntry_##name, __VA_ARGS__>)

HOOKED_SPT(hipStreamSynchronize, stream_synchronize)
HOOKED_SPT(hipStreamQuery, stream_query)
HOOKED(hipDeviceSynchronize, context_synchronize)
HOOKED(hipCtxSynchronize, context_synchronize)
HOOKED_SPT(hipEventRecord, event_record)
HOOKED_WITH(hipEventRecordWithFlags, event_record, unsigned)
HOOKED(hipEventSynchronize, event_wait)
HOOKED(hipEventQuery, event_wait)
HOOKED_SPT(hipStreamWaitEvent, stream_wait_event)
HOOKED(hipEventDestroy, event_destroy)

HOOKED(hipStreamCreate, stream_create)
HOOKED_WITH(hipStreamCreateWithFlags, stream_create, unsigned)
HOOKED_WITH(hipStreamCreateWithPriority, stream_create, unsigned, int)
HOOKED_WITH(hipExtStreamCreateWithCUMask, stream_create, uint32_t, const uint32_t*)
HOOKED(hipStreamDestroy, stream_destroy)
HOOKED(hipDeviceReset, device_reset)
HOOKED(hipDevicePrimaryCtxReset, primary_reset)

HOOKED_WITH(hipStreamBeginCapture, begin_capture, int)
HOOKED_WITH(hipStreamBeginCapture_spt, begin_capture, int)
HOOKED_WITH(hipStreamBeginCaptureToGraph, begin_capture, hipGraph_t, const hipGraphNode_t*, const void*, size_t, int)
HOOKED_SPT(hipStreamEndCapture, end_capture)

HOOKED_WITH(hipGetLastError, last_error, true)
HOOKED_WITH(hipExtGetLastError, last_error, true)
HOOKED_WITH(hipPeekAtLastError, last_error, false)

// --- only logged
#define TRACED(name) HOOK_IS(name, &Traced<kEntry_##name>::call)
TRACED(hipMalloc)
TRACED(hipHostMalloc)
TRACED(hipMallocHost)
TRACED(hipHostAlloc)
TRACED(hipExtHostAlloc)
TRACED(hipMemAllocHost)
TRACED(hipMallocManaged)
TRACED(hipMallocPitch)
TRACED(hipMemAllocPitch)
TRACED(hipExtMallocWithFlags)
TRACED(hipHostRegister)
TRACED(hipMemCreate)
TRACED(hipArrayCreate)
TRACED(hipArray3DCreate)
TRACED(hipMallocArray)
TRACED(hipFree)
TRACED(hipHostFree)
TRACED(hipFreeHost)
TRACED(hipFreeArray)
TRACED(hipArrayDestroy)
TRACED(hipHostUnregister)
TRACED(hipMemRelease)
TRACED(hipMemUnmap)
TRACED(hipModuleUnload)

// --- asked for functions
HOOK_IS(hipGetProcAddress, &get_proc_address)
HOOK_IS(hipGetProcAddress_spt, &get_proc_address_spt)
HOOK_IS(hipGetDriverEntryPoint, &get_entry_point)
HOOK_IS(hipGetDriverEntryPoint_spt, &get_entry_point_spt)

// A hook, for calls that come from the program. Those that come back from inside it, or from our own calls, go on: the
// runtime calls functions that it exports, and both a trampoline and the runtime's table lead here.
template <EntryPoint kEntry, auto kHook, typename Function = typename Declared<kEntry>::Type>
struct FromProgram;

template <EntryPoint kEntry, auto kHook, typename Answer, typename... Arguments>
struct FromProgram<kEntry, kHook, Answer (*)(Arguments...)> {
    static Answer call(Arguments... arguments) {
        if (xhip_own_calls != 0) return driver<kEntry>()(arguments...);
        const Inside inside;
        return kHook(arguments...);
    }

private:
    struct Inside {
        Inside() { ++xhip_own_calls; }
        ~Inside() { --xhip_own_calls; }
    };
};

}  // namespace

void* hook_of(uint32_t entry) {
    switch (entry) {
#define HOOK(name)                                                                               \
    case kEntry_##name: {                                                                        \
        constexpr declared::name kHook = hook_##name; /* a wrong signature does not compile */   \
        const declared::name hook = &FromProgram<kEntry_##name, kHook>::call;                    \
        return reinterpret_cast<void*>(hook);                                                    \
    }
#include "entry_points.inc"
    default: return nullptr;
    }
}

}  // namespace xsched::hip
