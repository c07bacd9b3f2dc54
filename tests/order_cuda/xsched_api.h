// The C API of the XSched libraries that the shim has loaded into this process, found at run time: programs under test
// link nothing of ours.
#pragma once

#include "fake/cuda/cuda_driver.h"
#include "xsched/xsched.h"

namespace cuda {

struct XSched {
    XResult (*CudaQueueGet)(HwQueueHandle*, CUstream);
    XResult (*CudaQueueCreate)(HwQueueHandle*, CUstream);
    XResult (*XQueueGet)(XQueueHandle*, HwQueueHandle);
    XResult (*XQueueSuspend)(XQueueHandle, int64_t);
    XResult (*XQueueResume)(XQueueHandle, int64_t);
    XResult (*XQueueQuery)(XQueueHandle, XQueueState*);
    XResult (*XQueueSetLaunchConfig)(XQueueHandle, int64_t, int64_t);
    XResult (*XQueueSetPreemptLevel)(XQueueHandle, XPreemptLevel);
    XResult (*XQueueProfileHwCommandCount)(XQueueHandle, int64_t*);
    XResult (*XHintPriority)(XQueueHandle, Priority);

    bool complete() const { return CudaQueueGet != nullptr && XQueueGet != nullptr && XQueueSuspend != nullptr; }
    // The XQueue of a stream, in this thread's context; 0: it has none.
    XQueueHandle queue_of(CUstream stream) const {
        HwQueueHandle hwq = 0;
        XQueueHandle queue = 0;
        if (CudaQueueGet(&hwq, stream) != kXSchedSuccess || XQueueGet(&queue, hwq) != kXSchedSuccess) return 0;
        return queue;
    }
};
const XSched& xsched();

}  // namespace cuda
