// Events that processes share, as a client reports them to its scheduler: where its queues record them, and which of
// its queues wait for them on the device. Part of the header (layout.h). The client writes under one lock of its own
// (queue/shared_events.h). A reader may see an entry half written; it reads again once `changes` has moved.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::ipc {

// One use of an event by a queue. It ends when the queue has completed `until` commands, or when the slot holds another
// queue.
struct SharedUse {
    std::atomic<uint64_t> event;  // a number for the event that is equal in every process; 0: the entry is free
    std::atomic<uint64_t> handle;  // the queue's
    std::atomic<uint64_t> until;  // for a record: count of commands including it; for a wait: count including the wait
    std::atomic<uint32_t> slot;  // the queue's
};

inline constexpr uint32_t kMostSharedUses = 16;  // most uses that are reported

struct SharedEvents {
    std::atomic<uint32_t> changes;  // 0: this process has shared no event; raised with each change
    SharedUse records[kMostSharedUses];
    SharedUse waits[kMostSharedUses];
};

}  // namespace xsched::ipc
