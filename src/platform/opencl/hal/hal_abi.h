// What libhalopencl offers the OpenCL shim of the same process: C ABI, any thread.
#pragma once

#include "platform/opencl/hal/api.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Opens the vendor's (or the ICD loader's) OpenCL library: the one named by XSCHED_OPENCL_LIB if that is one, else the
// one the dynamic linker finds. `own`: an address inside the library that must not be found (the shim itself); NULL:
// any will do. The dlopen handle stays open. NULL: there is no OpenCL library; the log says so once.
void* xocl_open_library(const void* own);

// Hands over the functions to use from now on; they are copied. A program without the shim need not call it.
// False if one is missing: then nothing was changed.
bool xocl_use_api(const xsched::opencl::ClApi* api);

// Wraps a host command queue for the shim: like OclQueueCreate, but the program's queue is not kept alive.
XResult xocl_wrap(HwQueueHandle* hwq, cl_command_queue queue);
// The queue now stays until the wrapper goes: the program has given up its last reference and work may be pending.
void xocl_keep(HwQueueHandle hwq);

// The event of a ticket's hold, for the wait list.
cl_event xocl_hold_event(void* hold);
// After the driver took a command that carries `hold`, before xq_launched: the command's completion is then reported
// also if the hold is dropped and the driver never calls back. Takes over a reference to `event`, which may be gone
// when this returns. The result goes to xocl_watched_done, from the event's callback or in its place. NULL: no memory;
// nothing was taken.
void* xocl_watch(void* hold, cl_event event, XqToken token);
void xocl_watched_done(void* watched);

// --- level 2 (guard.h)
// One launch of a guarded kernel. It is copied.
typedef struct XoclGuarded {
    cl_kernel kernel;         // the program's arguments are set; three more come behind them. Nobody else uses it
    cl_kernel tail;           // the kernel without parameters of the same program
    cl_uint first_guard_argument;
    cl_uint dimensions;
    const size_t* offset;     // as the program gave them
    const size_t* global;
    const size_t* local;
    // Once, when the launch is over: `kernel` and what its arguments need may go. Any thread. `length_ns`: how long it
    // took, suspensions left out; `mutual`: its groups wait for each other, so that none may be skipped.
    void (*done)(void* owner, int64_t length_ns, int mutual);
    void* owner;
} XoclGuarded;

// Whether kernels are to be guarded in this process (XSCHED_AUTO_XQUEUE_LEVEL=2).
bool xocl_guard_wanted();
// Whether launches on this queue can be.
bool xocl_guards(cl_command_queue queue);
// Like clEnqueueNDRangeKernel. On any error nothing was enqueued and `done` is not called. `times` goes on to
// xocl_times_keep.
cl_int xocl_guarded_launch(cl_command_queue queue, const XoclGuarded* launch, cl_uint count, const cl_event* wait_list,
                           cl_event* event, void** times);
// The program got `event` for a launch, with one reference; NULL: it wanted none.
void xocl_times_keep(void* times, cl_event event);
// The program takes, or is about to give back, a reference to an event that may be a guarded launch's.
void xocl_times_retained(cl_event event);
void xocl_times_releasing(cl_event event);
// The event whose time `what` (CL_PROFILING_COMMAND_...) is to be told for `event`, with a reference for the caller.
cl_event xocl_times_event(cl_event event, cl_profiling_info what);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
