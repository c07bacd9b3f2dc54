// The channels that this process has on one GPU, as its level 3 uses them (interrupt.h) and as xserver knows them.
// Guarded by the mutex Gpu::turn; any thread of the program. Calls go to the kernel driver, not to its libraries.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "platform/nvidia/hal/channel_record.h"
#include "platform/stream/hal/call_times.h"
#include "xsched/types.h"

namespace xsched::nvidia {

inline constexpr unsigned kGpuNameBytes = 32;
inline constexpr uint32_t kMostSets = 4;  // most sets of one GPU: each is a client of the kernel driver in this process

struct Gpu {
    base::Mutex turn;  // one change at a time; held during calls to the kernel, never needed by a launch
    uint32_t generation = 0;  // the process of a line of forks that the rest is about
    XDevice identity = 0;
    char name[kGpuNameBytes] = "";  // for the log
    void (*undo)() = nullptr;  // for when xserver is gone: undoes what it did with the channels
    uint32_t queues = 0;
    uint32_t asking = 0;
    uint32_t taking = 0;  // of these, to be taken off rather than kept off
    bool stopped = false;
    std::atomic<uint32_t> stop_number{0};  // of the stop in force; 0: none, or its end has begun
    uint32_t stops = 0;  // so far
    bool kept_off = false;  // stopped by its timeslice, and kept from coming back
    bool once_more = false;  // it runs again after that: the next restore enables it a second time
    int64_t enabled_ns = 0;  // when it was last enabled
    stream::CallTimes calls;
    std::atomic<uint32_t> calls_us{0};  // both together, from `calls`; 0: not known
    std::atomic<bool> refused{false};  // a call failed: not tried again
    // Its channels are in a group that other processes use too (MPS): no level 3, but the group's timeslice can be set.
    bool shared = false;
    bool whole_workgroups = false;  // some of its commands stop at the ends of workgroups alone
    uint32_t timeslice_us = 0;  // in force; 0: the driver's own
    bool known = false;
    std::atomic<bool> too_many{false};  // more channels than can be taken off at once: level 3 pauses
    uint32_t serial = 0;  // of the record that `sets` is from
    uint32_t set_count = 0;
    RecordedSet sets[kMostSets];
};

// Returns the call to the kernel driver as the program's library makes it; nullptr: no such call was seen.
rm::Ioctl driver_call();
void note_driver_call(rm::Ioctl call);

// Updates what is known of this GPU from the record, and tells xserver. A disabled channel stays known until it is
// enabled again. gpu.turn held.
void refresh(Gpu& gpu);

}  // namespace xsched::nvidia
