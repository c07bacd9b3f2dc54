// The HAL of the platform that device.h has chosen: queue_create(&hwq, stream) is CudaQueueCreate, HipQueueCreate or
// OclQueueCreate.
#pragma once

#include "device.h"
#include "xsched/xsched.h"

#if defined(USE_CUDA)
#include "xsched/cuda/hal.h"
inline XResult queue_create(HwQueueHandle* hwq, Stream stream) { return CudaQueueCreate(hwq, stream); }
#elif defined(USE_HIP)
#include "xsched/hip/hal.h"
inline XResult queue_create(HwQueueHandle* hwq, Stream stream) { return HipQueueCreate(hwq, stream); }
#else
#include "xsched/opencl/hal.h"
inline XResult queue_create(HwQueueHandle* hwq, Stream stream) { return OclQueueCreate(hwq, stream); }
#endif

inline void check_xsched(XResult result, const char* call) {
    if (result == kXSchedSuccess) return;
    fprintf(stderr, "%s returned %d: see include/xsched/types.h\n", call, static_cast<int>(result));
    exit(1);
}
#define CHECK_XSCHED(call) check_xsched(call, #call)

// An XQueue over a stream.
inline XQueueHandle make_xqueue(Stream stream) {
    HwQueueHandle hwq = 0;
    XQueueHandle xq = 0;
    CHECK_XSCHED(queue_create(&hwq, stream));
    CHECK_XSCHED(XQueueCreate(&xq, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone));  // the highest level there is
    return xq;
}
