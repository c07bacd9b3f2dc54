// libhalcuda's entries: the public ones of xsched/cuda/hal.h, and those for the shim (hal_abi.h).
#include "base/log.h"
#include "platform/cuda/hal/hal_abi.h"
#include "platform/cuda/hal/identity.h"
#include "platform/cuda/hal/interrupt.h"
#include "platform/cuda/hal/keep_alive.h"
#include "platform/cuda/hal/stream_shape.h"
#include "platform/cuda/hal/vendor_library.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/pinned_words.h"
#include "platform/stream/hal/scratch.h"
#include "queue/queue_abi.h"
#include "xsched/cuda/hal.h"

namespace xsched::cuda {
namespace {

using namespace xsched::stream;

XResult wrap(XcuStream* wrapped, StreamKind kind, CUstream stream, CUcontext context, bool retain) {
    const CuApi* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    if (xq_abi_version() != XQ_DEVICE_ABI) {
        XLOG_ERRO("libpreempt.so speaks version %u of the device interface, libhalcuda.so version %u; install both "
                  "from one build", xq_abi_version(), XQ_DEVICE_ABI);
        return kXSchedErrorNotSupported;
    }
    InContext current;
    HwQueue* hwq = context != nullptr && current.enter(*api, context)
                       ? make_hwqueue(*api, kind, stream, context, retain)
                       : nullptr;
    if (hwq == nullptr) return kXSchedErrorInvalidValue;
    int priority = 0;
    unsigned flags = 0;
    api->cuStreamGetPriority(hwq->stream, &priority);
    api->cuStreamGetFlags(hwq->stream, &flags);
    wrapped->priority = -priority;  // CUDA's smaller numbers are the more urgent ones
    wrapped->blocking = kind != StreamKind::kLegacy && (flags & CU_STREAM_NON_BLOCKING) == 0;
    const XqDeviceOps* ops = ops_of(*hwq);
    const XResult result = xq_hwq_create(&wrapped->hwq, ops, hwq, stream_id(kind, stream, context),
                                         device_identity(*api, hwq->device));
    if (result != kXSchedSuccess) ops->destroy(hwq);
    return result;
}

// For a thread without a context: the first device's primary one (`wanted`: nullptr), or the one among those in use that
// a stream belongs to. It stays retained, for the caller to release.
CUcontext primary_context(const CuApi& api, CUdevice* device, CUstream wanted) {
    int count = 0;
    if (api.cuDeviceGetCount(&count) != CUDA_SUCCESS) return nullptr;
    for (*device = 0; *device < count; ++*device) {
        unsigned flags = 0;
        int active = 0;
        CUcontext context = nullptr;
        CUcontext found = nullptr;
        if (wanted != nullptr &&
            (api.cuDevicePrimaryCtxGetState(*device, &flags, &active) != CUDA_SUCCESS || active == 0))
            continue;
        if (api.cuDevicePrimaryCtxRetain(&context, *device) != CUDA_SUCCESS) continue;
        if (wanted == nullptr) return context;
        InContext current;
        if (current.enter(api, context) && api.cuStreamGetCtx(wanted, &found) == CUDA_SUCCESS && found == context)
            return context;
        api.cuDevicePrimaryCtxRelease_v2(*device);
    }
    return nullptr;
}

// For a thread without a context a primary one that is in use serves to see what streams look like.
bool is_stream(const CuApi& api, CUstream stream, CUcontext current) {
    int count = 0;
    if (current != nullptr) return may_be_stream(api, stream, current);
    if (api.cuDeviceGetCount(&count) != CUDA_SUCCESS) return false;
    for (CUdevice device = 0; device < count; ++device) {
        unsigned flags = 0;
        int active = 0;
        CUcontext context = nullptr;
        if (api.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || active == 0 ||
            api.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS)
            continue;
        const bool may_be = may_be_stream(api, stream, context);
        api.cuDevicePrimaryCtxRelease_v2(device);
        return may_be;
    }
    return may_be_stream(api, stream, nullptr);
}

// The context that a program's stream belongs to. `retained`: its device, to be released by the caller; -1: none.
CUcontext context_of(const CuApi& api, StreamKind kind, CUstream stream, CUdevice* retained) {
    *retained = -1;
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUcontext current = nullptr;
    api.cuCtxGetCurrent(&current);
    if (kind != StreamKind::kOrdinary) {
        if (current != nullptr) return current;
        context = primary_context(api, &device, nullptr);
        if (context != nullptr) *retained = device;
        return context;
    }
    if (!is_stream(api, stream, current)) return nullptr;
    if (api.cuStreamGetCtx == nullptr) return current;
    if (api.cuStreamGetCtx(stream, &context) == CUDA_SUCCESS) return context;
    if (current != nullptr) return nullptr;
    context = primary_context(api, &device, stream);
    if (context != nullptr) *retained = device;
    return context;
}

template <typename Act>
XResult with_context(HwQueueHandle* handle, CUstream stream, Act act) {
    if (handle == nullptr) return kXSchedErrorInvalidValue;
    const CuApi* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    const StreamKind kind = kind_of(stream, false);
    CUdevice retained = -1;
    CUcontext context = context_of(*api, kind, stream, &retained);
    const XResult result = context != nullptr ? act(kind, context) : kXSchedErrorInvalidValue;
    if (retained >= 0) api->cuDevicePrimaryCtxRelease_v2(retained);
    return result;
}

}  // namespace
}  // namespace xsched::cuda

extern "C" XResult xcu_wrap(XcuStream* wrapped, uint32_t kind, CUstream stream, xsched::cuda::CUcontext context) {
    return xsched::cuda::wrap(wrapped, static_cast<xsched::stream::StreamKind>(kind), stream, context, false);
}

extern "C" XResult xcu_find(HwQueueHandle* hwq, uint32_t kind, CUstream stream, xsched::cuda::CUcontext context) {
    using namespace xsched::cuda;
    return xq_hwq_find(hwq, kPlatformCUDA, stream_id(static_cast<StreamKind>(kind), stream, context));
}

extern "C" void xcu_pause(void) { xsched::stream::pause_driver(); }
extern "C" void xcu_unpause(void) { xsched::stream::unpause_driver(); }
extern "C" void xcu_context_going(xsched::cuda::CUcontext context) {
    xsched::cuda::let_everything_run();
    xsched::stream::forget_pins(context);
    xsched::stream::forget_scratch(context);
    xsched::cuda::forget_keep_alive(context);
    xq_words_owner_gone(reinterpret_cast<uint64_t>(context));
}

extern "C" int xcu_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return xsched::cuda::pass_ioctl(fd, request, argument, next);
}

extern "C" XResult CudaQueueCreate(HwQueueHandle* handle, CUstream stream) {
    using namespace xsched::cuda;
    return with_context(handle, stream, [&](StreamKind kind, xsched::cuda::CUcontext context) {
        XcuStream wrapped{};
        const XResult result = wrap(&wrapped, kind, stream, context, true);
        if (result == kXSchedSuccess) *handle = wrapped.hwq;
        return result;
    });
}

extern "C" XResult CudaQueueGet(HwQueueHandle* handle, CUstream stream) {
    using namespace xsched::cuda;
    return with_context(handle, stream, [&](StreamKind kind, xsched::cuda::CUcontext context) {
        return xq_hwq_find(handle, kPlatformCUDA, stream_id(kind, stream, context));
    });
}
