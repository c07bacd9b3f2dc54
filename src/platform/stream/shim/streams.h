// Which XQueue a stream belongs to.
//
// A stream's entry and XQueue are made at its first use, also for streams that we never saw being created. The legacy
// default stream has one per context, the per-thread default stream one per context and thread. Looking one up takes
// no lock. Entries are never freed, so that a thread that still looks at a destroyed stream's entry reads valid memory;
// `serial` tells whether it is still the same stream. Any thread may call any function.
#pragma once

#include <atomic>

#include "base/hot.h"
#include "platform/stream/shim/stream_entry.h"

namespace xsched::stream {

// Returns the entry of a stream, with its XQueue; nullptr: the stream is not scheduled (XSCHED_AUTO_XQUEUE=OFF, no
// context, no memory) and the call goes to the driver as it is. `per_thread`: NULL means the thread's own stream.
XSCHED_HOT StreamEntry* entry_of(Stream stream, bool per_thread);
// Returns the stream's entry but makes none; nullptr also for a stream that was never used.
XSCHED_HOT StreamEntry* known_entry_of(Stream stream, bool per_thread);

// Notes that a stream of this handle was created, so an earlier stream with the same handle is gone. `priority`: the
// vendor's number.
void stream_created(Stream stream, int priority);
// Call before the driver destroys the stream. Ends its XQueue, with an open gate.
void stream_going(Stream stream);
// Call before the driver destroys a context. Ends all its streams.
void context_going(Context context);

// Returns whether more than one stream is scheduled: then one may wait for another.
XSCHED_HOT bool several_queues();
// Returns whether work was ever put into a stream that is not scheduled, so that its completion is not known.
bool some_are_unscheduled();
// Returns whether queues of different priorities ever existed.
XSCHED_HOT bool several_priorities();
// Call when `entry` is about to get a command. Streams for which the driver makes it wait, by the legacy default
// stream's implicit rule, become as urgent. Streams that may share a hardware queue with it (sharing.h) leave that
// queue free for it.
void depend_implicitly(StreamEntry& entry);

// Call before a call that frees device memory: ends keep-alives of this process (queue/alive/keep_alive.h).
void frees_device_memory();

extern std::atomic<StreamEntry*> g_all_entries;
// Calls visit(entry) for every entry that has an XQueue.
template <typename Visit>
void for_each_entry(Visit visit) {
    for (StreamEntry* entry = g_all_entries.load(std::memory_order_acquire); entry != nullptr; entry = entry->next)
        if (entry->xqueue.load(std::memory_order_acquire) != nullptr) visit(*entry);
}

}  // namespace xsched::stream
