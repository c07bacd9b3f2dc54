// Level 3 of a Vulkan queue: that of NVIDIA's GPUs, which acts on all channels of the process (platform/nvidia/hal).
// The calls of Vulkan's driver to the kernel driver are seen by CUDA's shim, so its device library has the channels,
// and this one looks for it in the process. Any thread; none of it calls Vulkan.
#pragma once

#include "base/no_copies.h"
#include "platform/nvidia/hal/interrupts_abi.h"
#include "platform/vulkan/hal/hal_abi.h"

namespace xsched::vulkan {

class Interruption : base::NoCopies {
public:
    ~Interruption() { end(); }
    // Returns false if the device has no level 3, or the user wants none.
    bool begin(const XvkDevice& device);
    // Lets the process's work run. Call before the driver may have to wait for it.
    void end();

    bool possible() const { return part_.interruptible; }
    XResult interrupt(XqInterrupt how);
    XResult restore();
    XqStopState state() const;
    XResult set_timeslice(uint32_t us);

private:
    stream::Interruptible part_;
};

// Tells that the program has so many more swapchains on the device, or less (below 0). While it has any, its work is
// not taken off: what a desktop shows may wait for it.
void note_swapchains(const XvkDevice& device, int change);

}  // namespace xsched::vulkan
