// A queue's part in level 3 where that acts on a whole process: all of its queues on the device have to ask. Written by
// the platform's level 3 alone (platform/nvidia/hal, platform/hip/hal).
#pragma once

#include <atomic>

namespace xsched::stream {

struct Interruptible {
    std::atomic<bool> interruptible{false};  // it takes part
    bool has_timeslice = false;  // instead: its context is shared with other processes, and its timeslice can be set
    bool asks_interrupt = false;
    bool takes_off = false;  // and not only to be kept off
    void* gpu = nullptr;  // the platform's, of the device that it is on
};

}  // namespace xsched::stream
