// The edge of trust: turns one client's slot into numbers that can be relied on. Priorities and hints are in their
// documented ranges, times are not in the future, and lengths are bounded, whatever a client writes. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"
#include "sched/facts/costs.h"

namespace xsched::dispatch {

inline constexpr int64_t kLongestCommandNs = 10'000'000'000;  // longer commands count as this long (safety)
inline constexpr uint32_t kMostCostUs = 10'000;               // likewise (safety)

struct QueueNumbers : base::Hints {  // `priority` includes what the queue inherits; an announced time that is over is 0
    uint64_t handle = 0;
    uint64_t device = 0;
    bool ready = false;
    bool stands = false;  // it has work, and all of it waits for its host, another program or another device
    bool lent = false;  // its priority is inherited until some of its commands have completed
    uint64_t submitted = 0;
    uint64_t completed = 0;
    uint64_t copies = 0;
    uint64_t copied_bytes = 0;
    int64_t holds_until_ns = 0;  // until when its process holds the device; 0: it does not
    bool silent = false;  // all reports that come by themselves have come, and commands are left
    int64_t progress_ns = 0;  // while ready: when `completed` last changed, or it became ready (set by ClientSlots)
    bool device_progress = false;  // completion is seen only by looking
    int64_t ready_since_ns = 0;
    int64_t idle_since_ns = 0;
    uint32_t level = 0;  // preempt level in use
    uint32_t context = 0;  // context that it belongs to; 0: unknown
    bool apart = false;  // level 3 takes it off without the rest of its process
    bool slowed = false;  // level 3 leaves it a few compute units: it continues slowly
    int64_t command_ns = 0;
    int64_t busy_ns = 0;
    // Times since the last scan (set by ClientSlots): new device time, time with work and not suspended, and time not
    // suspended.
    int64_t used_ns = 0;
    int64_t worked_ns = 0;
    int64_t open_ns = 0;
};

// Returns the costs in the slot's identity, which stay constant while the slot is in use.
sched::Costs read_costs(const ipc::QueueSlot& slot);
// Reads the slot. Returns false if it is not in use.
bool read_slot(const ipc::QueueSlot& slot, int64_t now_ns, QueueNumbers& numbers);

}  // namespace xsched::dispatch
