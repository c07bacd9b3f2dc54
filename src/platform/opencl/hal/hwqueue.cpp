#include "platform/opencl/hal/hwqueue.h"

#include <atomic>
#include <new>

#include "base/log.h"
#include "platform/opencl/hal/guards.h"
#include "platform/opencl/hal/hold.h"
#include "platform/opencl/hal/vendor_library.h"
#include "queue/abi/queue_abi.h"

namespace xsched::opencl {
namespace {

std::atomic<bool> g_hold_refused_logged{false};

HwQueue& of(void* hwq) { return *static_cast<HwQueue*>(hwq); }

XResult checked(const HwQueue& hwq, const char* function, cl_int code) {
    if (code == CL_SUCCESS) return kXSchedSuccess;
    XLOG_ERRO("opencl error %d from %s on queue %p", code, function, static_cast<void*>(hwq.queue));
    return kXSchedErrorHardware;
}

void* hold_create(void* self) {
    const HwQueue& hwq = of(self);
    cl_int code = CL_SUCCESS;
    Hold* hold = Hold::create(*hwq.api, hwq.context, &code);
    if (hold == nullptr && !g_hold_refused_logged.exchange(true))
        XLOG_WARN("the OpenCL driver makes no user event (error %d): commands cannot be held back and run at once",
                  code);
    return hold;
}

void hold_open(void* self, void* hold) { checked(of(self), "clSetUserEventStatus", static_cast<Hold*>(hold)->open()); }

void hold_drop(void* self, void* hold) {
    checked(of(self), "clSetUserEventStatus", static_cast<Hold*>(hold)->drop());
    guard_hold_dropped(of(self).guard);
}

void hold_destroy(void*, void* hold) { delete static_cast<Hold*>(hold); }

void CL_CALLBACK marker_done(cl_event marker, cl_int, void* token) {
    xq_complete(reinterpret_cast<XqToken>(token));
    vendor_api()->clReleaseEvent(marker);
}

XResult mark(void* self, XqToken token) {
    const HwQueue& hwq = of(self);
    cl_event marker = nullptr;
    // clEnqueueMarker waits for all commands before it, and exists in every version of OpenCL.
    XResult result = checked(hwq, "clEnqueueMarker", hwq.api->clEnqueueMarker(hwq.queue, &marker));
    if (result != kXSchedSuccess) return result;
    const cl_int code = hwq.api->clSetEventCallback(marker, CL_COMPLETE, marker_done, reinterpret_cast<void*>(token));
    if (code != CL_SUCCESS) {
        hwq.api->clReleaseEvent(marker);
        return checked(hwq, "clSetEventCallback", code);
    }
    checked(hwq, "clFlush", hwq.api->clFlush(hwq.queue));
    return kXSchedSuccess;
}

XResult flush(void* self) {
    const HwQueue& hwq = of(self);
    return checked(hwq, "clFlush", hwq.api->clFlush(hwq.queue));
}

XResult synchronize(void* self) {
    const HwQueue& hwq = of(self);
    return checked(hwq, "clFinish", hwq.api->clFinish(hwq.queue));
}

XResult deactivate(void* self) {
    close_guard(of(self).guard);
    return kXSchedSuccess;
}

XResult reactivate(void* self) {
    open_guard(of(self).guard);
    return kXSchedSuccess;
}

void destroy(void* self) {
    HwQueue* hwq = &of(self);
    end_guard(hwq->guard, hwq->queue);
    if (hwq->keeps_queue) hwq->api->clReleaseCommandQueue(hwq->queue);
    hwq->api->clReleaseContext(hwq->context);
    delete hwq;
}

constexpr XqHoldOps kHolds = {.create = hold_create, .open = hold_open, .drop = hold_drop, .destroy = hold_destroy};
constexpr XqStopOps kGuards = {.deactivate = deactivate, .reactivate = reactivate};

constexpr XqDeviceOps make_ops(XqOrder order, const XqStopOps* stop) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = 1u << kPreemptLevelBlock | (stop != nullptr ? 1u << kPreemptLevelDeactivate : 0);
    ops.platform = kPlatformOpenCL;
    ops.order = order;
    ops.hold = &kHolds;
    ops.stop = stop;
    ops.mark = mark;
    ops.flush = flush;
    ops.synchronize = synchronize;
    ops.destroy = destroy;
    return ops;
}

// The operations of a queue, indexed by whether the queue is in order, and by whether its kernels have guards.
constexpr XqDeviceOps kOps[2][2] = {{make_ops(kXqAnyOrder, nullptr), make_ops(kXqAnyOrder, &kGuards)},
                                    {make_ops(kXqInOrder, nullptr), make_ops(kXqInOrder, &kGuards)}};

}  // namespace

XResult make_hwqueue(HwQueue** result, const ClApi& api, cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    HwQueue found{.api = &api, .queue = queue};
    const auto ask = [&](cl_command_queue_info what, size_t bytes, void* value) {
        return api.clGetCommandQueueInfo(queue, what, bytes, value, nullptr) == CL_SUCCESS;
    };
    if (queue == nullptr || !ask(CL_QUEUE_PROPERTIES, sizeof properties, &properties) ||
        !ask(CL_QUEUE_CONTEXT, sizeof found.context, &found.context) ||
        !ask(CL_QUEUE_DEVICE, sizeof found.device, &found.device))
        return kXSchedErrorInvalidValue;
    if ((properties & CL_QUEUE_ON_DEVICE) != 0) return kXSchedErrorNotSupported;
    found.in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    auto* hwq = new (std::nothrow) HwQueue(found);
    if (hwq == nullptr) return kXSchedErrorUnknown;
    api.clRetainContext(hwq->context);
    hwq->guard = make_guard(api, queue, hwq->context, hwq->device, properties);
    *result = hwq;
    return kXSchedSuccess;
}

const XqDeviceOps* ops_of(const HwQueue& hwq) { return &kOps[hwq.in_order][hwq.guard != nullptr]; }

void keep_queue(HwQueue& hwq) {
    if (hwq.keeps_queue) return;
    hwq.keeps_queue = hwq.api->clRetainCommandQueue(hwq.queue) == CL_SUCCESS;
}

}  // namespace xsched::opencl
