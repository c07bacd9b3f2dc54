// The C API of the XSched libraries that the shim has loaded into this process, found at run time: programs under test
// link nothing of ours.
#pragma once

#include "order/cl.h"
#include "xsched/xqueue.h"

namespace order {

struct XSched {
    XResult (*OclQueueGet)(HwQueueHandle*, cl_command_queue);
    XResult (*XQueueGet)(XQueueHandle*, HwQueueHandle);
    XResult (*XQueueSuspend)(XQueueHandle, int64_t);
    XResult (*XQueueResume)(XQueueHandle, int64_t);

    bool complete() const {
        return OclQueueGet != nullptr && XQueueGet != nullptr && XQueueSuspend != nullptr && XQueueResume != nullptr;
    }
    // The XQueue of a command queue; 0: it has none (yet).
    XQueueHandle queue_of(cl_command_queue queue) const {
        HwQueueHandle hwq = 0;
        XQueueHandle handle = 0;
        if (OclQueueGet(&hwq, queue) != kXSchedSuccess || XQueueGet(&handle, hwq) != kXSchedSuccess) return 0;
        return handle;
    }
};
const XSched& xsched();

}  // namespace order
