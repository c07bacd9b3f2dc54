// The functions of libhalopencl for level 2 in the OpenCL shim of the same process (guard.h): C ABI, any thread.
#pragma once

#include "platform/opencl/hal/api.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// One launch of a guarded kernel. It is copied.
typedef struct XoclGuarded {
    cl_kernel kernel;  // the program's arguments are set; three more come behind them. No other thread uses it
    cl_kernel tail;  // the kernel without parameters of the same program
    cl_uint first_guard_argument;
    cl_uint dimensions;
    const size_t* offset;  // as the program gave them
    const size_t* global;
    const size_t* local;
    // Called once, when the launch is over: `kernel` and its arguments may then be released. Any thread. `length_ns`:
    // how long it took, without suspensions. `mutual`: its groups wait for each other, so none may be skipped.
    void (*done)(void* owner, int64_t length_ns, int mutual);
    void* owner;
} XoclGuarded;

// Returns whether kernels get guards in this process (XSCHED_AUTO_XQUEUE_LEVEL=2 or 3).
bool xocl_guard_wanted();
// Returns whether launches on this queue can be guarded.
bool xocl_guards(cl_command_queue queue);
// Enqueues a guarded launch; arguments and result are those of clEnqueueNDRangeKernel. On any error nothing was
// enqueued and `done` is not called. Stores in `times` the value for xocl_times_keep.
cl_int xocl_guarded_launch(cl_command_queue queue, const XoclGuarded* launch, cl_uint count, const cl_event* wait_list,
                           cl_event* event, void** times);
// Notes that the program got `event` for a launch, with one reference; NULL: it wanted none.
void xocl_times_keep(void* times, cl_event event);
// Note that the program takes, or is about to give back, a reference to an event that may be a guarded launch's.
void xocl_times_retained(cl_event event);
void xocl_times_releasing(cl_event event);
// Returns the event whose time `what` (CL_PROFILING_COMMAND_...) must be told for `event`, with a reference for the
// caller.
cl_event xocl_times_event(cl_event event, cl_profiling_info what);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
