// The OpenCL side of an XQueue: what device.h asks of hardware, with user events as holds.
//
// A hold is a user event in the wait list of a command that the driver has already: completing it lets the command
// start. The driver's own queue is thus the buffer. OpenCL cannot stop what runs; preempt level 2 exists where kernels
// are guarded (guards.h).
#pragma once

#include <cstdint>

#include "platform/opencl/hal/api.h"
#include "queue/device.h"

namespace xsched::opencl {

class Guard;

struct HwQueue {
    const ClApi* api = nullptr;
    cl_command_queue queue = nullptr;
    cl_context context = nullptr;  // retained
    cl_device_id device = nullptr;
    bool in_order = true;
    bool keeps_queue = false;  // a reference of ours to `queue`
    Guard* guard = nullptr;    // nullptr: level 1 only
};

// Makes the wrapper of a queue. Returns NotSupported for an on-device queue, InvalidValue for something that is no
// command queue. A wrapper that was made is freed by ops->destroy.
XResult make_hwqueue(HwQueue** hwq, const ClApi& api, cl_command_queue queue);
const XqDeviceOps* ops_of(const HwQueue& hwq);

// Keeps the queue until destroy. One thread at a time.
void keep_queue(HwQueue& hwq);

}  // namespace xsched::opencl
