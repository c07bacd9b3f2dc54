// The public entries of libhalcuda (xsched/cuda/hal.h), and those for the shim that only CUDA has.
#include "platform/stream/hal/hal.h"

#include "base/options.h"
#include "platform/cuda/hal/keep_alive.h"
#include "platform/cuda/hal/stream_shape.h"
#include "platform/nvidia/hal/channel_record.h"
#include "platform/nvidia/hal/interrupts.h"
#include "platform/stream/hal/scratch.h"
#include "platform/stream/hal/vendor_library.h"
#include "queue/abi/queue_abi.h"
#include "xsched/cuda/hal.h"

namespace xsched::cuda {
namespace {

using namespace xsched::stream;

// Returns a primary context for a thread that has none. `wanted` nullptr: the first device's; otherwise the context in
// use that the stream belongs to. The context is retained; the caller releases it.
CUcontext primary_context(const Api& api, CUdevice* device, CUstream wanted) {
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

// Returns whether the handle is a stream. For a thread without a context, any primary context in use shows what streams
// look like.
bool is_stream(const Api& api, CUstream stream, CUcontext current) {
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

// Returns the context that a program's stream belongs to. `retained`: receives the device whose context the caller must
// release; -1: none.
CUcontext context_of(const Api& api, StreamKind kind, CUstream stream, CUdevice* retained) {
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
    return with_api(handle, [&](const Api& api) {
        const StreamKind kind = kind_of(stream, false);
        CUdevice retained = -1;
        CUcontext context = context_of(api, kind, stream, &retained);
        const XResult result = context != nullptr ? act(kind, context) : kXSchedErrorInvalidValue;
        if (retained >= 0) api.cuDevicePrimaryCtxRelease_v2(retained);
        return result;
    });
}

}  // namespace
}  // namespace xsched::cuda

namespace xsched::stream {

void platform_context_going(Context context) {
    nvidia::let_everything_run();
    forget_scratch(context);
    cuda::forget_keep_alive(context);
}

}  // namespace xsched::stream

extern "C" int HAL(ioctl)(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return xsched::nvidia::pass_ioctl(fd, request, argument, next);
}

extern "C" int HAL(copies_matter)(void) {
    return xsched::base::options().cuda_interrupt_copies != 0 && !xsched::nvidia::copies_noted();
}

extern "C" void HAL(note_copies)(void) { xsched::nvidia::note_copies(); }

extern "C" XResult CudaQueueCreate(HwQueueHandle* handle, CUstream stream) {
    using namespace xsched::cuda;
    return with_context(handle, stream, [&](StreamKind kind, xsched::cuda::CUcontext context) {
        WrappedStream wrapped{};
        const XResult result = wrap(&wrapped, kind, stream, context, true);
        if (result == kXSchedSuccess) *handle = wrapped.hwq;
        return result;
    });
}

extern "C" XResult CudaQueueGet(HwQueueHandle* handle, CUstream stream) {
    using namespace xsched::cuda;
    return with_context(handle, stream, [&](StreamKind kind, xsched::cuda::CUcontext context) {
        return xq_hwq_find(handle, kPlatform, stream_id(kind, stream, context));
    });
}
