// Calls to AMD's kernel driver that take a process's queues off the hardware and put them back: three ways, of which a
// driver has some. A fourth way leaves them on it, with few of its compute units. Only the process that owns the queues
// may make them. No log. One thread at a time.
#pragma once

#include <cstdint>

#include "platform/hip/hal/cu_mask.h"

namespace xsched::hip::kfd {

// A function like libc's ioctl, with the argument that KFD's calls have.
using Ioctl = int (*)(int fd, unsigned long request, void* argument);

constexpr unsigned kMostQueues = 128;

// A queue as the runtime created it or last changed it.
struct Queue {
    int fd;
    uint32_t id;
    uint64_t ring_base_address;
    uint32_t ring_size;
    uint32_t percentage;
    uint32_t priority;
    uint32_t gpu_id;
    const CuMask* mask = nullptr;  // the program's own; null: none
    uint32_t few = 0;  // units that are left to it; 0: few_of_gpu() says
};

// UPDATE_QUEUE costs each queue a round of all processes' queues of its GPU on and off the hardware. The debugger's way
// takes any number in one round, once the process is its own debugger. But becoming that, and ceasing to be, costs some
// rounds (8 and 24 by the driver's sources) on every GPU of the machine that the process may see. PREEMPT_QUEUE is a
// patched driver's. SET_CU_MASK costs as much as UPDATE_QUEUE; what runs goes on.
enum class Way : uint32_t { kUpdate, kDebugger, kPreempt, kMask, kNone };
constexpr unsigned kWays = 4;
const char* name_of(Way way);
// Returns the way that XSCHED_HIP_INTERRUPT names; kNone: the name is unknown.
Way way_of(const char* name);
// Returns the best way for this many queues, except the ways in `refused` (bit n: way n).
Way best_way(unsigned count, uint32_t refused);

// The process as its own debugger. It attaches at the first use of this way and stays attached until detach, since
// attaching costs more than all other calls. No other process can debug it on the GPU meanwhile.
struct Debugger {
    bool attached = false;
    bool unseen = true;  // there are queues that it has not seen, and so cannot suspend
};

// Result of suspend() if the driver does not have one of the queues, because that was just destroyed. A later call
// may succeed.
constexpr int kQueueMissing = -1;

// Suspends all of the queues, or none. Returns 0, errno or kQueueMissing. If the debugger's way fails with errno, this
// process detaches as its own debugger: that resumes every queue that this way has suspended before.
int suspend(Way way, Ioctl call, Debugger& debugger, const Queue* queues, unsigned count);
// Resumes all queues that can be. Returns 0 or the first failure's errno. If the debugger's way fails, or resumes
// fewer queues than asked, the process detaches as well.
int resume(Way way, Ioctl call, Debugger& debugger, const Queue* queues, unsigned count);
// Returns how many compute units of that GPU a victim keeps, computed from the kernel's files about it.
uint32_t few_of_gpu(uint32_t gpu_id);
void detach(Ioctl call, Debugger& debugger, int fd);

}  // namespace xsched::hip::kfd
