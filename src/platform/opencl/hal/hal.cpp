// libhalopencl's entries: the public ones of xsched/opencl/hal.h, and those for the shim (hal_abi.h).
#include "xsched/opencl/hal.h"

#include "base/confinement.h"
#include "base/log.h"
#include "platform/opencl/hal/api.h"
#include "platform/opencl/hal/hal_abi.h"
#include "platform/opencl/hal/handles.h"
#include "platform/opencl/hal/hold.h"
#include "platform/opencl/hal/hwqueue.h"
#include "platform/opencl/hal/identity.h"
#include "platform/opencl/hal/standing_events.h"
#include "platform/opencl/hal/vendor_library.h"
#include "queue/abi/queue_abi.h"
#include "queue/abi/same_build.h"

namespace xsched::opencl {
namespace {

XResult wrap(HwQueueHandle* handle, cl_command_queue queue, bool keep) {
    if (handle == nullptr || queue == nullptr) return kXSchedErrorInvalidValue;
    base::ask_about_sandbox(xq_entered_sandbox);
    const ClApi* api = vendor_api();
    if (api == nullptr) return kXSchedErrorNotSupported;
    if (!queue::is_same_build("opencl")) return kXSchedErrorNotSupported;
    if (keep && !is_queue(*api, queue)) return kXSchedErrorInvalidValue;  // the shim's have been the program's already
    HwQueue* hwq = nullptr;
    XResult result = make_hwqueue(&hwq, *api, queue);
    if (result != kXSchedSuccess) return result;
    if (keep) keep_queue(*hwq);
    const XqDeviceOps* ops = ops_of(*hwq);
    const XDevice device = device_identity(*api, hwq->device);
    char name[kDeviceNameBytes] = "";
    device_name(*api, hwq->device, name);
    xq_name_device(device, name);
    result = xq_hwq_create(handle, ops, hwq, reinterpret_cast<uint64_t>(queue), device);
    if (result != kXSchedSuccess) ops->destroy(hwq);
    return result;
}

}  // namespace
}  // namespace xsched::opencl

extern "C" XResult xocl_wrap(HwQueueHandle* handle, cl_command_queue queue) {
    return xsched::opencl::wrap(handle, queue, false);
}

extern "C" void xocl_keep(HwQueueHandle handle) {
    auto* hwq = static_cast<xsched::opencl::HwQueue*>(xq_hwq_impl(handle));
    if (hwq != nullptr) xsched::opencl::keep_queue(*hwq);
}

extern "C" cl_event xocl_hold_event(void* hold) { return static_cast<xsched::opencl::Hold*>(hold)->event(); }

extern "C" void* xocl_watch(void* hold, cl_event event, XqToken token) {
    return static_cast<xsched::opencl::Hold*>(hold)->watch(event, token);
}

extern "C" void xocl_watched_done(void* watched) {
    auto* command = static_cast<xsched::opencl::WatchedCommand*>(watched);
    command->report();
    command->disown();
}

extern "C" void xocl_event_stands(cl_event event) { xsched::opencl::note_standing_event(event); }

extern "C" bool xocl_is_standing(cl_event event) { return xsched::opencl::is_standing_event(event); }

extern "C" void xocl_event_over(cl_event event) { xsched::opencl::forget_standing_event(event); }

extern "C" XResult OclQueueCreate(HwQueueHandle* handle, cl_command_queue queue) {
    return xsched::opencl::wrap(handle, queue, true);
}

extern "C" XResult OclQueueGet(HwQueueHandle* handle, cl_command_queue queue) {
    if (handle == nullptr || queue == nullptr) return kXSchedErrorInvalidValue;
    return xq_hwq_find(handle, kPlatformOpenCL, reinterpret_cast<uint64_t>(queue));
}
