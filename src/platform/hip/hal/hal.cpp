// libhalhip's public entries (xsched/hip/hal.h), and its entries for the shim that only HIP has (hal_abi.h).
#include "platform/stream/hal/hal.h"

#include "platform/hip/hal/driver_queues.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/last_error.h"
#include "platform/stream/hal/hwqueue_state.h"
#include "platform/stream/hal/value_operations.h"
#include "platform/stream/hal/vendor_library.h"
#include "queue/abi/queue_abi.h"
#include "xsched/hip/hal.h"

namespace xsched::hip {
namespace {

using namespace xsched::stream;

// Returns the device of a stream, as a context; null: it is no stream. Runtimes may crash over a handle that never was
// a stream, so this asks by a function in which all of them check the handle.
Context context_of(const Api& api, StreamKind kind, Stream stream) {
    const OwnCalls own(api);
    if (kind != StreamKind::kOrdinary) return current_context(api);
    int device = -1;
    if (api.hipStreamGetDevice != nullptr) {
        if (api.hipStreamGetDevice(stream, &device) != hipSuccess) return nullptr;
    } else if (api.hipGetStreamDeviceId != nullptr) {
        device = api.hipGetStreamDeviceId(stream);
    } else {
        unsigned flags = 0;
        return api.hipStreamGetFlags(stream, &flags) == hipSuccess ? current_context(api) : nullptr;
    }
    return device >= 0 ? context_of_device(device) : nullptr;
}

template <typename Act>
XResult with_context(HwQueueHandle* handle, Stream stream, Act act) {
    return with_api(handle, [&](const Api& api) {
        const StreamKind kind = kind_of(stream, false);
        Context context = context_of(api, kind, stream);
        return context != nullptr ? act(kind, context) : kXSchedErrorInvalidValue;
    });
}

}  // namespace
}  // namespace xsched::hip

namespace xsched::stream {

void platform_context_going(Context context) {
    if (const Api* api = vendor_api()) device_going(device_of(*api, context));
}

}  // namespace xsched::stream

using xsched::stream::Context;
using xsched::stream::Stream;
using xsched::stream::StreamKind;

extern "C" Context xhip_context_of(Stream stream) {
    const xsched::stream::Api* api = xsched::stream::vendor_api();
    return api != nullptr ? xsched::hip::context_of(*api, StreamKind::kOrdinary, stream) : nullptr;
}

extern "C" void xhip_follow_use(HwQueueHandle handle, const xsched::stream::HardwareUse* use) {
    auto* hwq = static_cast<xsched::stream::HwQueue*>(xq_hwq_impl(handle));
    if (hwq != nullptr) hwq->hardware.store(use, std::memory_order_release);
}

extern "C" uint32_t xhip_queue_number(HwQueueHandle handle) {
    const auto* hwq = static_cast<xsched::stream::HwQueue*>(xq_hwq_impl(handle));
    const auto* use = hwq != nullptr ? hwq->hardware.load(std::memory_order_acquire) : nullptr;
    return use != nullptr ? use->main.load(std::memory_order_relaxed) : 0;
}

// Returns 0: level 3 on AMD takes queues off the device, and the runtime's copies do not go through those queues.
extern "C" int HAL(copies_matter)(void) { return 0; }
extern "C" void HAL(note_copies)(void) {}

extern "C" int HAL(ioctl)(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return xsched::hip::pass_ioctl(fd, request, argument, next);
}

extern "C" int xhip_hidden_error(bool take) {
    const int hidden = xsched::stream::hidden_error();
    if (take) xsched::stream::forget_hidden_error();
    return hidden;
}

extern "C" XResult HipQueueCreate(HwQueueHandle* handle, Stream stream) {
    return xsched::hip::with_context(handle, stream, [&](StreamKind kind, Context context) {
        xsched::stream::WrappedStream wrapped{};
        const XResult result = xsched::stream::wrap(&wrapped, kind, stream, context, true);
        if (result == kXSchedSuccess) *handle = wrapped.hwq;
        return result;
    });
}

extern "C" XResult HipQueueGet(HwQueueHandle* handle, Stream stream) {
    return xsched::hip::with_context(handle, stream, [&](StreamKind kind, Context context) {
        return xq_hwq_find(handle, xsched::stream::kPlatform, xsched::stream::stream_id(kind, stream, context));
    });
}
