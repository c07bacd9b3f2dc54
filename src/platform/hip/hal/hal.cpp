// libhalhip's entries: the public ones of xsched/hip/hal.h, and those for the shim (hal_abi.h).
#include "base/log.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/identity.h"
#include "platform/hip/hal/interrupt.h"
#include "platform/hip/hal/last_error.h"
#include "platform/hip/hal/vendor_library.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/pinned_words.h"
#include "queue/queue_abi.h"
#include "xsched/hip/hal.h"

namespace xsched::hip {
namespace {

using namespace xsched::stream;

XResult wrap(XhipStream* wrapped, StreamKind kind, Stream stream, Context context, bool retain) {
    const HipApi* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    if (xq_abi_version() != XQ_DEVICE_ABI) {
        XLOG_ERRO("libpreempt.so speaks version %u of the device interface, libhalhip.so version %u; install both from "
                  "one build", xq_abi_version(), XQ_DEVICE_ABI);
        return kXSchedErrorNotSupported;
    }
    InContext current;
    HwQueue* hwq = context != nullptr && current.enter(*api, context)
                       ? make_hwqueue(*api, kind, stream, context, retain)
                       : nullptr;
    if (hwq == nullptr) return kXSchedErrorInvalidValue;
    int priority = 0;
    unsigned flags = 0;
    api->hipStreamGetPriority(hwq->stream, &priority);
    if (kind != StreamKind::kLegacy) api->hipStreamGetFlags(hwq->stream, &flags);
    wrapped->priority = -priority;  // HIP's smaller numbers are the more urgent ones
    wrapped->blocking = kind != StreamKind::kLegacy && (flags & hipStreamNonBlocking) == 0;
    const XqDeviceOps* ops = ops_of(*hwq);
    const XResult result = xq_hwq_create(&wrapped->hwq, ops, hwq, stream_id(kind, stream, context),
                                         device_identity(*api, hwq->device));
    if (result != kXSchedSuccess) ops->destroy(hwq);
    return result;
}

// The device of a stream that need not exist: runtimes may crash over a handle that never was one, so the question is
// the one they all check.
Context context_of(const HipApi& api, StreamKind kind, Stream stream) {
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
    if (handle == nullptr) return kXSchedErrorInvalidValue;
    const HipApi* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    const StreamKind kind = kind_of(stream, false);
    Context context = context_of(*api, kind, stream);
    return context != nullptr ? act(kind, context) : kXSchedErrorInvalidValue;
}

}  // namespace
}  // namespace xsched::hip

using xsched::stream::Context;
using xsched::stream::Stream;
using xsched::stream::StreamKind;

extern "C" XResult xhip_wrap(XhipStream* wrapped, uint32_t kind, Stream stream, Context context) {
    return xsched::hip::wrap(wrapped, static_cast<StreamKind>(kind), stream, context, false);
}

extern "C" XResult xhip_find(HwQueueHandle* hwq, uint32_t kind, Stream stream, Context context) {
    return xq_hwq_find(hwq, kPlatformHIP, xsched::stream::stream_id(static_cast<StreamKind>(kind), stream, context));
}

extern "C" Context xhip_context_of(Stream stream) {
    const xsched::hip::HipApi* api = xsched::hip::vendor_api();
    return api != nullptr ? xsched::hip::context_of(*api, StreamKind::kOrdinary, stream) : nullptr;
}

extern "C" void xhip_pause(void) { xsched::stream::pause_driver(); }
extern "C" void xhip_unpause(void) { xsched::stream::unpause_driver(); }
extern "C" void xhip_context_going(Context context) {
    xsched::stream::forget_pins(context);
    xq_words_owner_gone(reinterpret_cast<uint64_t>(context));
}

extern "C" int xhip_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return xsched::hip::pass_ioctl(fd, request, argument, next);
}

extern "C" int xhip_hidden_error(bool take) {
    const int hidden = xsched::stream::hidden_error();
    if (take) xsched::stream::forget_hidden_error();
    return hidden;
}

extern "C" XResult HipQueueCreate(HwQueueHandle* handle, Stream stream) {
    return xsched::hip::with_context(handle, stream, [&](StreamKind kind, Context context) {
        XhipStream wrapped{};
        const XResult result = xsched::hip::wrap(&wrapped, kind, stream, context, true);
        if (result == kXSchedSuccess) *handle = wrapped.hwq;
        return result;
    });
}

extern "C" XResult HipQueueGet(HwQueueHandle* handle, Stream stream) {
    return xsched::hip::with_context(handle, stream, [&](StreamKind kind, Context context) {
        return xq_hwq_find(handle, kPlatformHIP, xsched::stream::stream_id(kind, stream, context));
    });
}
