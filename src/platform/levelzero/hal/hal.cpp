// libhallevelzero's entries: the public ones of xsched/levelzero/hal.h, and those for the shim (hal_abi.h).
#include "xsched/levelzero/hal.h"

#include "base/confinement.h"
#include "base/options.h"
#include "platform/levelzero/hal/hal_abi.h"
#include "platform/levelzero/hal/hwqueue.h"
#include "platform/levelzero/hal/identity.h"
#include "platform/levelzero/hal/vendor_library.h"
#include "platform/levelzero/hal/watcher.h"
#include "queue/abi/same_build.h"

using xsched::levelzero::HwQueue;
using xsched::levelzero::Mark;

namespace {

HwQueue& of(void* impl) { return *static_cast<HwQueue*>(impl); }
Mark* of(XzeMark* mark) { return reinterpret_cast<Mark*>(mark); }

XResult find(HwQueueHandle* hwq, const void* vendor) {
    if (hwq == nullptr || vendor == nullptr) return kXSchedErrorInvalidValue;
    return xq_hwq_find(hwq, kPlatformLevelZero, reinterpret_cast<uint64_t>(vendor));
}

}  // namespace

extern "C" XResult xze_wrap(HwQueueHandle* handle, const XzeQueue* queue, uint64_t vendor, bool* waits) {
    xsched::base::ask_about_sandbox(xq_entered_sandbox);
    const xsched::levelzero::ZeApi* api = xsched::levelzero::vendor_api();
    if (api == nullptr || !xsched::queue::is_same_build("levelzero")) return kXSchedErrorNotSupported;
    const xsched::levelzero::Identity identity = xsched::levelzero::identify(*api, queue->device);
    HwQueue* hwq =
        HwQueue::create(*api, *queue, identity.is_gpu && xsched::base::options().levelzero_unproven_gates != 0);
    if (hwq == nullptr) return kXSchedErrorUnknown;
    *waits = identity.is_npu;
    xq_name_device(identity.device, identity.name);
    const XResult result = xq_hwq_create(handle, xsched::levelzero::device_ops(*hwq), hwq, vendor, identity.device);
    if (result != kXSchedSuccess) delete hwq;
    return result;
}

extern "C" void xze_serve(HwQueueHandle hwq, XqQueue* xqueue) { of(xq_hwq_impl(hwq)).serve(xqueue); }

extern "C" const XzeMark* xze_mark_of_hold(void* hold) { return &static_cast<Mark*>(hold)->mark; }

extern "C" XzeMark* xze_next_mark(void* impl) {
    Mark* mark = of(impl).next_mark();
    return mark != nullptr ? &mark->mark : nullptr;
}

extern "C" const XzeMark* xze_put_gate(void* impl, XzeMark* mark, bool held) {
    Mark* gate = of(impl).put_gate(of(mark), held);
    return gate != nullptr ? &gate->mark : nullptr;
}

extern "C" void xze_launched(void* impl, XzeMark* mark, XqToken token) { of(impl).launched(of(mark), token); }

extern "C" void xze_refused(void* impl, XzeMark* mark) { of(impl).refused(of(mark)); }

extern "C" void xze_look(void* impl) { of(impl).look(); }

extern "C" void xze_look_at_all(void) { xsched::levelzero::look_at_all(); }

extern "C" void xze_end(void* impl) { of(impl).end(); }

extern "C" XResult ZeQueueGet(HwQueueHandle* hwq, ze_command_queue_handle_t queue) { return find(hwq, queue); }

extern "C" XResult ZeListGet(HwQueueHandle* hwq, ze_command_list_handle_t list) { return find(hwq, list); }
