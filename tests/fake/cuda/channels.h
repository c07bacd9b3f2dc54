// A context's channels in the fake kernel driver (fake/rm/fake_rm.h), where that is loaded: allocated with the calls
// that the real driver makes, and what they say about whether the context may run. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace fake {

struct Channels {
    uint32_t groups[2] = {};  // 0: none
    uint32_t queues[3] = {};  // of the fake KFD (fake/kfd/fake_kfd.h), numbered from 1; 0: none
    const std::atomic<uint32_t>* disabled = nullptr;

    // Everything is, while the kernel driver changes some process's queues, or the process has paused its send queues.
    bool (*halted)() = nullptr;

    bool may_run() const {
        return (disabled == nullptr || disabled->load(std::memory_order_acquire) == 0) &&
               (halted == nullptr || !halted());
    }
};

// Allocates the channels of a new context on that device. Without a kernel driver: none, and it may always run.
Channels allocate_channels(int ordinal);
void free_channels(Channels& channels);

// The channels of the context whose kernel this thread simulates at the moment. The kernel makes no progress while
// they are disabled.
extern thread_local const Channels* t_running;
bool run_for(int64_t ns);  // whether it was off the device meanwhile

}  // namespace fake
