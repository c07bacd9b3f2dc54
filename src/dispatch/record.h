// What other threads may know of a client at any time, without asking the dispatcher: the last verdict on each queue and
// the accounts. Written by the dispatcher's thread alone, field by field, without locks; a reader may see one field newer
// than the next. The last two fields go the other way.
#pragma once

#include <atomic>
#include <cstdint>

#include "ipc/layout.h"
#include "sched/unit.h"

namespace xsched::dispatch {

struct QueueRecord {
    std::atomic<uint32_t> used{0};       // 1: the slot of this index is scheduled
    std::atomic<uint32_t> suspended{0};
    std::atomic<uint32_t> reason{0};     // sched::Reason
    std::atomic<uint32_t> mechanism{0};  // dispatch::Means
    std::atomic<int32_t> by_pid{0};      // the process that it makes room for; 0: none
    std::atomic<uint32_t> by_client{0};
    std::atomic<int32_t> priority{0};    // that counts: boosts and the user's limit applied
    std::atomic<int64_t> since_ns{0};    // when the present state began
    std::atomic<int64_t> delayed_ns{0};  // kept off with work to do, until
    std::atomic<int64_t> waits_since_ns{0};  // then; 0: it is not kept off with work to do now
    std::atomic<uint64_t> preemptions{0};
};

struct ClientRecord {
    std::atomic<uint32_t> queue_end{0};  // one more than the last index ever used
    std::atomic<int64_t> delay_caused_ns{0};
    // Its work keeps others off, and completes nothing: somebody should look whether the process is stopped.
    std::atomic<uint32_t> suspect{0};
    std::atomic<uint32_t> unscheduled{0};  // queues beyond the user's limit
    // Written by others: the process is stopped.
    std::atomic<uint32_t> stopped{0};
    QueueRecord queues[ipc::kMostQueues];
};

}  // namespace xsched::dispatch
