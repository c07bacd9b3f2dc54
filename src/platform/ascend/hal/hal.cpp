// libhalascend's public entries (xsched/ascend/hal.h), and what the shared code expects of the platform.
#include "platform/stream/hal/hal.h"

#include "platform/stream/hal/hwqueue.h"
#include "queue/abi/queue_abi.h"
#include "xsched/ascend/hal.h"

constinit thread_local uint32_t xasc_inside = 0;

namespace xsched::stream {

// Nothing is kept for a context.
void platform_context_going(Context) {}

// Running work cannot be taken off the device: there is no level 3.
bool join_interrupts(HwQueue&) { return false; }
void leave_interrupts(HwQueue&) {}
XResult interrupt(HwQueue&, XqInterrupt) { return kXSchedErrorNotSupported; }
void restore(HwQueue&) {}
XqStopState stop_state(HwQueue&) { return {}; }

namespace {

// The stream must belong to the calling thread's current context: the runtime does not tell which one it is of.
template <typename Act>
XResult with_context(HwQueueHandle* handle, void* stream, Act act) {
    return with_api(handle, [&](const Api& api) {
        const auto typed = static_cast<Stream>(stream);
        Context context = current_context(api);
        return context != nullptr ? act(kind_of(typed, false), typed, context) : kXSchedErrorInvalidValue;
    });
}

}  // namespace
}  // namespace xsched::stream

extern "C" XResult AclQueueCreate(HwQueueHandle* handle, ::aclrtStream stream) {
    using namespace xsched::stream;
    return with_context(handle, stream, [&](StreamKind kind, Stream typed, Context context) {
        WrappedStream wrapped{};
        const XResult result = wrap(&wrapped, kind, typed, context, true);
        if (result == kXSchedSuccess) *handle = wrapped.hwq;
        return result;
    });
}

extern "C" XResult AclQueueGet(HwQueueHandle* handle, ::aclrtStream stream) {
    using namespace xsched::stream;
    return with_context(handle, stream, [&](StreamKind kind, Stream typed, Context context) {
        return xq_hwq_find(handle, kPlatform, stream_id(kind, typed, context));
    });
}
