// The state that level 3 has of this process: its queues in the kernel driver, as the runtime's own calls to that made
// them (driver_queues.cpp), and the streams that may be interrupted (interrupt.cpp). Any thread, with a Turn.
#pragma once

#include <atomic>

#include "base/fork.h"
#include "base/mutex.h"
#include "platform/hip/hal/kfd_control.h"
#include "platform/stream/hal/call_times.h"
#include "platform/stream/hal/hwqueue.h"

namespace xsched::hip {

constexpr int kMostDevices = 64;

struct Kept {
    kfd::Queue queue{};
    kfd::CuMask mask{};  // the program's own
    kfd::Way stopped_by = kfd::Way::kNone;
};

struct Process {
    base::Mutex turn;         // one change at a time; held during calls to the kernel, never needed by a launch
    uint32_t generation = 0;  // the process of a line of forks that the rest is about
    Kept queues[kfd::kMostQueues] = {};
    unsigned count = 0;
    bool incomplete = false;  // there were more
    stream::HwQueue* streams = nullptr;   // scheduled ones that may be interrupted
    uint32_t gpus[kMostDevices] = {};     // of devices, as a stream's queue told; 0: not known
    kfd::Debugger debugger;
    uint32_t refused = 0;     // bit n: way n, not tried again
    uint32_t misses = 0;      // suspensions in a row for which the driver lacked a queue
    uint32_t resumes = 0;     // so often something stopped was let go on
    stream::CallTimes call_times;
    uint32_t calls = 0;       // that switched queues: each takes all processes' queues of a GPU off it and back
};

extern constinit Process g_process;
extern constinit std::atomic<unsigned> g_stopped;  // queues
// Returns the ioctl of the C library, or of another library that comes before the shim; null: no call was seen yet.
kfd::Ioctl kernel_call();

// A guard: while it lives, the calling thread alone may use the process's queues. Fork's child begins without its
// parent's queues.
class Turn {
public:
    Turn() : lock_(g_process.turn) {
        Process& process = g_process;
        if (process.generation == base::fork_generation()) return;
        process.generation = base::fork_generation();
        process.count = 0;
        process.streams = nullptr;
        process.incomplete = false;
        process.debugger = kfd::Debugger{};
        g_stopped.store(0, std::memory_order_relaxed);
    }

private:
    base::Lock lock_;
};

// Passes on a call to the kernel driver by `made`, and records which queues it makes, changes and destroys.
int pass_ioctl(int fd, unsigned long request, void* argument, kfd::Ioctl made);

// --- a turn is held
kfd::Queue as_known(const Kept& kept);
// Resumes a queue that is about to be destroyed (interrupt.cpp).
void let_go(const Kept& kept);

}  // namespace xsched::hip
