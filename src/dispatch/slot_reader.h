// The edge of trust: one client's slot as numbers that can be relied on. Priorities and hints are in their documented
// ranges, times are not in the future and lengths are not absurd, whatever a client writes. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"
#include "sched/facts/costs.h"

namespace xsched::dispatch {

inline constexpr int64_t kLongestCommandNs = 10'000'000'000;  // longer ones count as this long (safety)
inline constexpr uint32_t kMostCostUs = 10'000;               // likewise (safety)

struct QueueNumbers : base::Hints {  // `priority` counts what the queue inherits; what was announced and is over is 0
    uint64_t handle = 0;
    uint64_t device = 0;
    bool ready = false;
    bool stands = false;  // it has work, and all of that waits for its host, another program or another device
    bool lent = false;  // its priority is, until some of its commands have completed
    uint64_t submitted = 0;
    uint64_t completed = 0;
    uint64_t copies = 0;
    uint64_t copied_bytes = 0;
    int64_t holds_until_ns = 0;  // the device for its process
    bool silent = false;  // all that will be heard of it by itself has been heard, and there is more
    int64_t progress_ns = 0;  // if it is ready: when `completed` last changed, or it became so (ClientSlots sets it)
    bool device_progress = false;  // completion is seen only by looking
    int64_t ready_since_ns = 0;
    int64_t idle_since_ns = 0;
    uint32_t level = 0;  // preempt level in use
    uint32_t context = 0;  // that it is of; 0: not known
    bool apart = false;  // level 3 takes it off by itself
    bool slowed = false;  // by level 3, on few compute units: it goes on
    int64_t command_ns = 0;
    int64_t busy_ns = 0;
    // Since the last scan (ClientSlots sets it): what of busy_ns is new, how long it had work and was not suspended,
    // and how long it was not suspended.
    int64_t used_ns = 0;
    int64_t worked_ns = 0;
    int64_t open_ns = 0;
};

// The costs that its identity gives for as long as the slot is in use.
sched::Costs read_costs(const ipc::QueueSlot& slot);
// False: the slot is not in use.
bool read_slot(const ipc::QueueSlot& slot, int64_t now_ns, QueueNumbers& numbers);

}  // namespace xsched::dispatch
