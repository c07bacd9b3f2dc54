// Level 3 on NVIDIA (interrupts.h) for a device library that has no record of the process's channels itself: CUDA's
// library offers these functions, and Vulkan's looks for them. Both are of one build (queue/abi/same_build.h).
#pragma once

#include "platform/stream/hal/interruptible.h"
#include "queue/device.h"
#include "xsched/types.h"

namespace xsched::nvidia {

struct Joining {
    XDevice gpu;
    const char* name;       // the GPU's, for the log
    bool shared;            // several programs share its context
    bool whole_workgroups;  // the queue's commands stop at the ends of workgroups alone
};

struct Interrupts {
    bool (*join)(stream::Interruptible& queue, const Joining& as);
    void (*leave)(stream::Interruptible& queue);
    XResult (*interrupt)(stream::Interruptible& queue, XqInterrupt how);
    void (*restore)(stream::Interruptible& queue);
    XqStopState (*stop_state)(const stream::Interruptible& queue);
    XResult (*set_timeslice)(stream::Interruptible& queue, uint32_t us);
    void (*let_everything_run)();
    // Notes so many more swapchains, or less (below 0). While the process has any, level 3 pauses.
    void (*swapchains_made)(int change);
};

}  // namespace xsched::nvidia

extern "C" {
// Returns NULL if the library is of another build than the process's libpreempt.
using XcuInterrupts = const xsched::nvidia::Interrupts*(void);
[[gnu::visibility("default")]] XcuInterrupts xcu_interrupts;
}
