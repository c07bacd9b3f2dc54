// Events that processes share, as a client tells its scheduler of them: where its queues record them, and which of its
// queues wait for them on the device. Part of the header (layout.h). Written by the client under one lock of its own
// (queue/shared_events.h); a reader may meet an entry half written, and reads it again after `changes` has moved.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::ipc {

// One use of an event by a queue. It is over when the queue has completed `until` commands, or is another one.
struct SharedUse {
    std::atomic<uint64_t> event;   // the same number in every process for one event; 0: the entry is free
    std::atomic<uint64_t> handle;  // the queue's
    std::atomic<uint64_t> until;   // of a record: commands up to and with it; of a wait: up to and with the wait
    std::atomic<uint32_t> slot;    // the queue's
};

inline constexpr uint32_t kMostSharedUses = 16;  // further ones are not told

struct SharedEvents {
    std::atomic<uint32_t> changes;  // 0: this process has shared no event
    SharedUse records[kMostSharedUses];
    SharedUse waits[kMostSharedUses];
};

}  // namespace xsched::ipc
