// Every CUDA function that XSched handles itself: one line each, checked against api/cuda.json by the compiler. PTSZ and
// PTDS lines stand for two functions, the second of programs with one default stream per thread.
#include "platform/cuda/shim/contexts.h"
#include "platform/cuda/shim/platform.h"
#include "platform/cuda/shim/proc_address.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/ordered.h"
#include "platform/stream/shim/trace.h"

namespace xsched::cuda {
namespace {

using namespace xsched::stream;

// --- scheduled
#define ASYNC(name) constexpr auto hook_##name = &Scheduled<kEntry_##name>::call;
#define ASYNC_PTSZ(name) ASYNC(name) ASYNC(name##_ptsz)
// On the NULL stream. READ_BACK: returns when the copied data is there, and with it all before.
#define ON_NULL(name) ASYNC(name)
#define ON_NULL_PTDS(name) ASYNC(name) ASYNC(name##_ptds)
#define READ_BACK(name) constexpr auto hook_##name = &Scheduled<kEntry_##name, true>::call;
#define READ_BACK_PTDS(name) READ_BACK(name) READ_BACK(name##_ptds)

ASYNC_PTSZ(cuLaunchKernel)
ASYNC_PTSZ(cuLaunchKernelEx)
ASYNC_PTSZ(cuLaunchCooperativeKernel)
ASYNC(cuLaunchGridAsync)
ON_NULL(cuLaunch)
ON_NULL(cuLaunchGrid)
ASYNC_PTSZ(cuGraphLaunch)
ASYNC_PTSZ(cuGraphUpload)
ASYNC_PTSZ(cuLaunchHostFunc)
ASYNC_PTSZ(cuStreamAddCallback)

ASYNC_PTSZ(cuMemcpyAsync)
ASYNC_PTSZ(cuMemcpyPeerAsync)
ASYNC_PTSZ(cuMemcpyHtoDAsync_v2)
ASYNC_PTSZ(cuMemcpyDtoHAsync_v2)
ASYNC_PTSZ(cuMemcpyDtoDAsync_v2)
ASYNC_PTSZ(cuMemcpyHtoAAsync_v2)
ASYNC_PTSZ(cuMemcpyAtoHAsync_v2)
ASYNC_PTSZ(cuMemcpy2DAsync_v2)
ASYNC_PTSZ(cuMemcpy3DAsync_v2)
ASYNC_PTSZ(cuMemcpy3DPeerAsync)
ASYNC_PTSZ(cuMemcpyBatchAsync)
ASYNC_PTSZ(cuMemcpyBatchAsync_v2)
ASYNC_PTSZ(cuMemcpy3DBatchAsync)
ASYNC_PTSZ(cuMemcpy3DBatchAsync_v2)
ASYNC(cuMemcpyHtoDAsync)
ASYNC(cuMemcpyDtoHAsync)
ASYNC(cuMemcpyDtoDAsync)
ASYNC(cuMemcpyHtoAAsync)
ASYNC(cuMemcpyAtoHAsync)
ASYNC(cuMemcpy2DAsync)
ASYNC(cuMemcpy3DAsync)
ASYNC_PTSZ(cuMemsetD8Async)
ASYNC_PTSZ(cuMemsetD16Async)
ASYNC_PTSZ(cuMemsetD32Async)
ASYNC_PTSZ(cuMemsetD2D8Async)
ASYNC_PTSZ(cuMemsetD2D16Async)
ASYNC_PTSZ(cuMemsetD2D32Async)

ON_NULL_PTDS(cuMemcpy)
ON_NULL_PTDS(cuMemcpyPeer)
ON_NULL_PTDS(cuMemcpyHtoD_v2)
READ_BACK_PTDS(cuMemcpyDtoH_v2)
ON_NULL_PTDS(cuMemcpyDtoD_v2)
ON_NULL_PTDS(cuMemcpyDtoA_v2)
ON_NULL_PTDS(cuMemcpyAtoD_v2)
ON_NULL_PTDS(cuMemcpyHtoA_v2)
READ_BACK_PTDS(cuMemcpyAtoH_v2)
ON_NULL_PTDS(cuMemcpyAtoA_v2)
ON_NULL_PTDS(cuMemcpy2D_v2)
ON_NULL_PTDS(cuMemcpy2DUnaligned_v2)
ON_NULL_PTDS(cuMemcpy3D_v2)
ON_NULL_PTDS(cuMemcpy3DPeer)
ON_NULL(cuMemcpyHtoD)
READ_BACK(cuMemcpyDtoH)
ON_NULL(cuMemcpyDtoD)
ON_NULL(cuMemcpyDtoA)
ON_NULL(cuMemcpyAtoD)
ON_NULL(cuMemcpyHtoA)
READ_BACK(cuMemcpyAtoH)
ON_NULL(cuMemcpyAtoA)
ON_NULL(cuMemcpy2D)
ON_NULL(cuMemcpy2DUnaligned)
ON_NULL(cuMemcpy3D)
ON_NULL_PTDS(cuMemsetD8_v2)
ON_NULL_PTDS(cuMemsetD16_v2)
ON_NULL_PTDS(cuMemsetD32_v2)
ON_NULL_PTDS(cuMemsetD2D8_v2)
ON_NULL_PTDS(cuMemsetD2D16_v2)
ON_NULL_PTDS(cuMemsetD2D32_v2)
ON_NULL(cuMemsetD8)
ON_NULL(cuMemsetD16)
ON_NULL(cuMemsetD32)
ON_NULL(cuMemsetD2D8)
ON_NULL(cuMemsetD2D16)
ON_NULL(cuMemsetD2D32)

ASYNC_PTSZ(cuMemAllocAsync)
ASYNC_PTSZ(cuMemAllocFromPoolAsync)
ASYNC_PTSZ(cuMemFreeAsync)
ASYNC_PTSZ(cuMemMapArrayAsync)
ASYNC_PTSZ(cuMemPrefetchAsync)
ASYNC_PTSZ(cuMemPrefetchAsync_v2)
ASYNC_PTSZ(cuMemPrefetchBatchAsync)
ASYNC_PTSZ(cuMemDiscardBatchAsync)
ASYNC_PTSZ(cuMemDiscardAndPrefetchBatchAsync)
ASYNC_PTSZ(cuMemBatchDecompressAsync)
ASYNC_PTSZ(cuStreamAttachMemAsync)
ASYNC_PTSZ(cuStreamWaitValue32)
ASYNC_PTSZ(cuStreamWaitValue32_v2)
ASYNC_PTSZ(cuStreamWaitValue64)
ASYNC_PTSZ(cuStreamWaitValue64_v2)
ASYNC_PTSZ(cuStreamWriteValue32)
ASYNC_PTSZ(cuStreamWriteValue32_v2)
ASYNC_PTSZ(cuStreamWriteValue64)
ASYNC_PTSZ(cuStreamWriteValue64_v2)
ASYNC_PTSZ(cuStreamBatchMemOp)
ASYNC_PTSZ(cuStreamBatchMemOp_v2)
ASYNC_PTSZ(cuSignalExternalSemaphoresAsync)
ASYNC_PTSZ(cuWaitExternalSemaphoresAsync)
ASYNC_PTSZ(cuGraphicsMapResources)
ASYNC_PTSZ(cuGraphicsUnmapResources)
ASYNC(cuGLMapBufferObjectAsync)
ASYNC_PTSZ(cuGLMapBufferObjectAsync_v2)
ASYNC(cuGLUnmapBufferObjectAsync)

constexpr auto hook_cuLaunchCooperativeKernelMultiDevice =
    &OnSeveral<kEntry_cuLaunchCooperativeKernelMultiDevice>::call;

// --- ordered
#define HOOKED(name, function) constexpr auto hook_##name = &function<kEntry_##name>;
#define HOOKED_PTSZ(name, function) HOOKED(name, function) HOOKED(name##_ptsz, function)
#define HOOKED_WITH(name, function, ...) constexpr auto hook_##name = &function<kEntry_##name, __VA_ARGS__>;

HOOKED_PTSZ(cuStreamSynchronize, stream_synchronize)
HOOKED_PTSZ(cuStreamQuery, stream_query)
HOOKED(cuCtxSynchronize, context_synchronize)
HOOKED_WITH(cuCtxSynchronize_v2, context_synchronize, CUcontext)
HOOKED_PTSZ(cuEventRecord, event_record)
HOOKED_WITH(cuEventRecordWithFlags, event_record, unsigned)
HOOKED_WITH(cuEventRecordWithFlags_ptsz, event_record, unsigned)
HOOKED(cuEventSynchronize, event_wait)
HOOKED(cuEventQuery, event_wait)
HOOKED_PTSZ(cuStreamWaitEvent, stream_wait_event)
HOOKED(cuEventDestroy, event_destroy)
HOOKED(cuEventDestroy_v2, event_destroy)
HOOKED_WITH(cuCtxRecordEvent, event_record_elsewhere, CUcontext)
HOOKED_WITH(cuGreenCtxRecordEvent, event_record_elsewhere, CUgreenCtx)

HOOKED_WITH(cuStreamCreate, stream_create, unsigned)
HOOKED_WITH(cuStreamCreateWithPriority, stream_create, unsigned, int)
HOOKED_WITH(cuGreenCtxStreamCreate, stream_create, CUgreenCtx, unsigned, int)
HOOKED(cuStreamDestroy, stream_destroy)
HOOKED(cuStreamDestroy_v2, stream_destroy)
HOOKED(cuCtxDestroy, context_destroy)
HOOKED(cuCtxDestroy_v2, context_destroy)
HOOKED(cuCtxDetach, context_destroy)
HOOKED(cuGreenCtxDestroy, green_context_destroy)
HOOKED(cuDevicePrimaryCtxRetain, primary_retain)
HOOKED(cuDevicePrimaryCtxRelease, primary_release)
HOOKED(cuDevicePrimaryCtxRelease_v2, primary_release)
HOOKED(cuDevicePrimaryCtxReset, primary_reset)
HOOKED(cuDevicePrimaryCtxReset_v2, primary_reset)

HOOKED_PTSZ(cuStreamBeginCapture, begin_capture)
HOOKED_WITH(cuStreamBeginCapture_v2, begin_capture, int)
HOOKED_WITH(cuStreamBeginCapture_v2_ptsz, begin_capture, int)
HOOKED_WITH(cuStreamBeginCaptureToGraph, begin_capture, CUgraph, const CUgraphNode*, const void*, size_t, int)
HOOKED_WITH(cuStreamBeginCaptureToGraph_ptsz, begin_capture, CUgraph, const CUgraphNode*, const void*, size_t, int)
HOOKED_PTSZ(cuStreamEndCapture, end_capture)

// --- only logged
#define TRACED(name) constexpr auto hook_##name = &Traced<kEntry_##name>::call;
TRACED(cuMemAlloc)
TRACED(cuMemAlloc_v2)
TRACED(cuMemAllocHost)
TRACED(cuMemAllocHost_v2)
TRACED(cuMemAllocManaged)
TRACED(cuMemAllocPitch)
TRACED(cuMemAllocPitch_v2)
TRACED(cuMemHostAlloc)
TRACED(cuMemHostRegister)
TRACED(cuMemHostRegister_v2)
TRACED(cuMemCreate)
TRACED(cuArrayCreate)
TRACED(cuArrayCreate_v2)
TRACED(cuArray3DCreate)
TRACED(cuArray3DCreate_v2)
TRACED(cuMipmappedArrayCreate)
TRACED(cuMemFree)
TRACED(cuMemFree_v2)
TRACED(cuMemFreeHost)
TRACED(cuMemHostUnregister)
TRACED(cuMemUnmap)
TRACED(cuMemRelease)
TRACED(cuArrayDestroy)
TRACED(cuMipmappedArrayDestroy)
TRACED(cuModuleUnload)
TRACED(cuLibraryUnload)

// --- asked for functions
constexpr auto hook_cuGetProcAddress = &get_proc_address;
constexpr auto hook_cuGetProcAddress_v2 = &get_proc_address_v2;

}  // namespace

void* hook_of(uint32_t entry) {
    switch (entry) {
#define HOOK(name)                                                                          \
    case kEntry_##name: {                                                                   \
        const declared::name hook = hook_##name; /* a wrong signature does not compile */   \
        return reinterpret_cast<void*>(hook);                                               \
    }
#include "entry_points.inc"
    default: return nullptr;
    }
}

}  // namespace xsched::cuda
