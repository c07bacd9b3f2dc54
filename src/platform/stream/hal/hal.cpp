#include "platform/stream/hal/hal.h"

#include "base/confinement.h"
#include "base/log.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/hwqueue.h"
#include "platform/stream/hal/identity.h"
#include "platform/stream/hal/pinned_words.h"
#include "platform/stream/hal/program_queues.h"
#include "platform/stream/hal/value_operations.h"
#include "platform/stream/hal/vendor_library.h"
#include "queue/abi/queue_abi.h"
#include "queue/abi/same_build.h"

namespace xsched::stream {

XResult wrap(WrappedStream* wrapped, StreamKind kind, Stream stream, Context context, bool retain) {
    base::ask_about_sandbox(xq_entered_sandbox);
    const Api* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    if (!queue::is_same_build(kVendor)) return kXSchedErrorNotSupported;
    InContext current;
    HwQueue* hwq = context != nullptr && current.enter(*api, context)
                       ? make_hwqueue(*api, kind, stream, context, retain)
                       : nullptr;
    if (hwq == nullptr) return kXSchedErrorInvalidValue;
    wrapped->priority = stream_priority(*api, hwq->stream);
    wrapped->blocking = kind != StreamKind::kLegacy && stream_blocks(*api, hwq->stream);
    const XqDeviceOps* ops = ops_of(*hwq);
    const XDevice device = device_identity(*api, hwq->device);
    char name[kDeviceNameBytes] = "";
    device_name(*api, hwq->device, name);
    xq_name_device(device, name);
    const XResult result = xq_hwq_create(&wrapped->hwq, ops, hwq, stream_id(kind, stream, context), device);
    if (result != kXSchedSuccess) ops->destroy(hwq);
    if (result == kXSchedSuccess && retain) note_program_queue(wrapped->hwq, context);
    return result;
}

}  // namespace xsched::stream

using xsched::stream::Context;
using xsched::stream::Stream;
using xsched::stream::StreamKind;

extern "C" XResult HAL(wrap)(xsched::stream::WrappedStream* wrapped, uint32_t kind, Stream stream, Context context) {
    return xsched::stream::wrap(wrapped, static_cast<StreamKind>(kind), stream, context, false);
}

extern "C" XResult HAL(find)(HwQueueHandle* hwq, uint32_t kind, Stream stream, Context context) {
    using namespace xsched::stream;
    return xq_hwq_find(hwq, kPlatform, stream_id(static_cast<StreamKind>(kind), stream, context));
}

extern "C" void HAL(try_gates)(Context context) {
    using namespace xsched::stream;
    xsched::base::ask_about_sandbox(xq_entered_sandbox);
    const Api* api = vendor_api();
    InContext current;
    if (api == nullptr || context == nullptr || !current.enter(*api, context)) return;
    try_value_operations_early({*api, context, device_of(*api, context)});
}

extern "C" void HAL(pause)(void) { xsched::stream::pause_driver(); }
extern "C" void HAL(unpause)(void) { xsched::stream::unpause_driver(); }

extern "C" void HAL(context_going)(Context context) {
    xsched::stream::end_program_queues(context);
    if (const auto* api = xsched::stream::vendor_api()) xsched::stream::forget_pins(*api, context);
    xsched::stream::platform_context_going(context);
    xq_words_owner_gone(reinterpret_cast<uint64_t>(context));
}
