// The device library's way to the optional guards (platform/opencl/guards: preempt level 2 where OpenCL itself has
// none). Without them (XSCHED_OPENCL_GUARDS=OFF) no queue has a guard, and these do nothing. Any thread.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

class Guard;

#if XSCHED_OPENCL_GUARDS
// Makes a guard for a queue with these properties; nullptr: level 1 only.
Guard* make_guard(const ClApi& api, cl_command_queue queue, cl_context context, cl_device_id device,
                  cl_command_queue_properties properties);
// Ends the guard of a queue that is destroyed; nullptr is allowed.
void end_guard(Guard* guard, cl_command_queue queue);
// Looks for launches of the guard that ended without running. Call after a hold of the queue was dropped, which cancels
// the commands behind it. nullptr is allowed.
void guard_hold_dropped(Guard* guard);
void close_guard(Guard* guard);  // level 2: deactivate
void open_guard(Guard* guard);  // reactivate
#else
inline Guard* make_guard(const ClApi&, cl_command_queue, cl_context, cl_device_id, cl_command_queue_properties) {
    return nullptr;
}
inline void end_guard(Guard*, cl_command_queue) {}
inline void guard_hold_dropped(Guard*) {}
inline void close_guard(Guard*) {}
inline void open_guard(Guard*) {}
#endif

}  // namespace xsched::opencl
