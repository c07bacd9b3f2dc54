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

// The C library's, or that of another library behind us.
int next_ioctl(int fd, unsigned long request, void* argument);
// How many compute units a victim is to have, as the shim's own option says; 0: as the GPU has them.
uint32_t few_asked();

}  // namespace xsched::probe
