// The XQueue of a queue that a device library has just wrapped, on platforms whose queues are not streams.
#pragma once

#include "base/log.h"
#include "queue/abi/queue_abi.h"
#include "xsched/types.h"
#include "xsched/xqueue.h"

namespace xsched::stream {

// Makes the queue scheduled. `wrapped`: what the wrapping returned; `serve`: the call that gives the device library the
// XQueue. Returns false if the queue is not scheduled.
template <typename Queue>
bool schedule_wrapped(Queue& queue, const void* handle, XResult wrapped, HwQueueHandle hwq, Priority priority,
                      void (*serve)(HwQueueHandle, XqQueue*)) {
    if (wrapped != kXSchedSuccess) {
        XLOG_WARN("queue %p is not scheduled: it could not be wrapped (error %d)", handle, wrapped);
        return false;
    }
    void* impl = xq_hwq_impl(hwq);
    XqQueue* xqueue = xq_auto_create(hwq, priority);
    if (xqueue == nullptr) {
        HwQueueDestroy(hwq);
        return false;
    }
    serve(hwq, xqueue);
    queue.hwq = impl;
    queue.xqueue = xqueue;
    return true;
}

}  // namespace xsched::stream
