// The functions of libhalopencl for the OpenCL shim of the same process: C ABI, any thread.
#pragma once

#include "platform/opencl/hal/api.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Opens the vendor's (or the ICD loader's) OpenCL library: the one that XSCHED_OPENCL_LIB names if it is one, otherwise
// the one that the dynamic linker finds. `own`: an address inside the library that must not be found (the shim itself);
// NULL: any will do. The dlopen handle stays open. Returns NULL if there is no OpenCL library; the log says so once.
void* xocl_open_library(const void* own);

// Hands over the functions to use from now on; they are copied. A program without the shim need not call it.
// False if one is missing: then nothing was changed.
bool xocl_use_api(const xsched::opencl::ClApi* api);

// Wraps a host command queue for the shim: like OclQueueCreate, but the program's queue is not kept alive.
XResult xocl_wrap(HwQueueHandle* hwq, cl_command_queue queue);
// Keeps the queue until its wrapper ends: the program has given up its last reference, but work may be pending.
void xocl_keep(HwQueueHandle hwq);

// Returns the event of a ticket's hold, for the wait list.
cl_event xocl_hold_event(void* hold);
// Watches a command that carries `hold`; call after the driver took it and before xq_launched. Its completion is then
// reported even if the hold is dropped and the driver never calls back. Takes over a reference to `event`, which may be
// gone when this returns. The result goes to xocl_watched_done, from the event's callback or in its place. NULL: no
// memory; nothing was taken.
void* xocl_watch(void* hold, cl_event event, XqToken token);
void xocl_watched_done(void* watched);

// Events of commands that stand (standing_events.h). The caller has a reference from `stands` to `over`; a watched
// command's report says that it is over, too.
void xocl_event_stands(cl_event event);
bool xocl_is_standing(cl_event event);
void xocl_event_over(cl_event event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
