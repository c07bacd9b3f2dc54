// What libhalcuda offers the CUDA shim of the same process: C ABI, any thread.
#pragma once

#include "platform/cuda/hal/api.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Opens the vendor's driver, once: the one named by XSCHED_CUDA_LIB if that is one, else the one that the dynamic linker
// would find if the shim did not bear its name. The dlopen handle, or NULL: there is none, and the log has said so.
void* xcu_open_driver(void);
// The driver's functions that XSched itself calls; NULL: nothing can be scheduled.
const xsched::cuda::CuApi* xcu_api(void);

typedef struct XcuStream {
    HwQueueHandle hwq;
    int32_t priority;       // as an XQueue's: larger is more urgent
    bool blocking;          // waits for, and is waited for by, the legacy default stream
} XcuStream;

// Wraps a stream for the shim. `kind` is a StreamKind; `context` the one it belongs to; for a per-thread default stream
// the calling thread must be its own. NotAllowed: it is wrapped already.
XResult xcu_wrap(XcuStream* wrapped, uint32_t kind, xsched::cuda::CUstream stream, xsched::cuda::CUcontext context);
XResult xcu_find(HwQueueHandle* hwq, uint32_t kind, xsched::cuda::CUstream stream, xsched::cuda::CUcontext context);

// Between the two no call of ours is inside the driver for any stream: a stream capture that begins meanwhile cannot
// have one slip into it. Short; may nest.
void xcu_pause(void);
void xcu_unpause(void);

// The context is about to be destroyed: memory registered through it is forgotten, and what is off the device returns.
void xcu_context_going(xsched::cuda::CUcontext context);

// A call to NVIDIA's kernel driver on its way; `next` makes it. Returns what it returned, errno as it left it.
int xcu_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
