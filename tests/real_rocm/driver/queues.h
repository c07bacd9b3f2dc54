// The process's queues. Each AQL queue has a thread, which takes its packets (packets.h). Any thread.
#pragma once

#include <pthread.h>

#include <atomic>

#include "emulator.h"

namespace kfd {

struct Queue {
    uint32_t id = 0;
    int gpu = 0;
    kfd_ioctl_create_queue_args made{};
    std::atomic<uint32_t> percentage{100};
    std::atomic<bool> suspended{false};  // by a debugger
    std::atomic<bool> ends{false};
    std::atomic<bool> works{false};  // a kernel of its is on the GPU, or leaves what it did
    std::atomic<bool> evicted{false}, reset{false};
    bool unseen = true;              // no debugger has seen it
    pthread_t thread{};
    bool has_thread = false;

    bool is_off() const { return percentage.load() == 0 || suspended || evicted || reset; }
};

enum class OffFor { kEviction, kReset };
// Keeps all queues of the process off the GPU, or lets them run again if `off` is false.
void keep_off(OffFor why, bool off);

Answer create_queue(kfd_ioctl_create_queue_args& asked);
Answer destroy_queue(uint32_t id);
Answer update_queue(const kfd_ioctl_update_queue_args& asked);
Answer set_mask(const kfd_ioctl_set_cu_mask_args& asked);

// A debugger's requests to suspend or resume queues. The entries of `ids` are marked as KFD marks them; returns how
// many queues were switched.
Answer suspend_queues(uint32_t* ids, uint32_t count);
Answer resume_queues(uint32_t* ids, uint32_t count);
void resume_all();
Answer snapshot(kfd_ioctl_dbg_trap_queue_snapshot_args& asked);

}  // namespace kfd
