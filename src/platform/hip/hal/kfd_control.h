// Calls to AMD's kernel driver that take a process's queues off the hardware and put them back: three ways, of which a
// driver has some. Only the process that owns the queues may make them. No state, no log. Any thread.
#pragma once

#include <cstdint>

namespace xsched::hip::kfd {

// As libc's ioctl, with the argument that KFD's calls have.
using Ioctl = int (*)(int fd, unsigned long request, void* argument);

constexpr unsigned kMostQueues = 128;

// As the runtime made it, or changed it since.
struct Queue {
    int fd;
    uint32_t id;
    uint64_t ring_base_address;
    uint32_t ring_size;
    uint32_t percentage;
    uint32_t priority;
};

// In the order in which they are tried.
enum class Way : uint32_t { kUpdate, kDebugger, kPreempt, kNone };
const char* name_of(Way way);

// All of them, or none. 0, or errno.
int suspend(Way way, Ioctl call, const Queue* queues, unsigned count);
// All that can be; the first failure's errno.
int resume(Way way, Ioctl call, const Queue* queues, unsigned count);

}  // namespace xsched::hip::kfd
