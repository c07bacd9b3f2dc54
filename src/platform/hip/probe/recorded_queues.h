// The compute queues that the runtime has made in the kernel driver: its calls are recorded on their way. Any thread.
#pragma once

#include <cstdint>
#include <mutex>

#include "platform/hip/hal/kfd_control.h"

namespace xsched::probe {

namespace kfd = hip::kfd;

struct Recorded {
    std::mutex mutex;
    kfd::Queue queues[kfd::kMostQueues] = {};
    unsigned count = 0;
    kfd::Debugger debugger;  // attached from the first suspension on, as XSched is
};
Recorded& recorded();

// Calls the ioctl of the C library, or of another library that comes after this one.
int next_ioctl(int fd, unsigned long request, void* argument);
// Returns how many compute units a victim keeps according to the shim's own option; 0: the default for the GPU.
uint32_t few_asked();

}  // namespace xsched::probe
