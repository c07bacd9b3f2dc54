// Where events stand in the queues: what has completed is known when one of them turns out to be complete, and who
// waits for whom when a stream waits for one. The events are the driver's own. Any thread.
#pragma once

#include <cstddef>

#include "platform/stream/shim/streams.h"
#include "vendor.h"

namespace xsched::stream {

// A place in a queue: everything up to it was given to the driver before.
struct QueueMark {
    StreamEntry* entry = nullptr;
    uint32_t serial = 0;
    uint64_t mark = 0;
};

// The end of what is surely in the queue. nullptr is allowed, for unscheduled streams.
XSCHED_HOT QueueMark mark_of(StreamEntry* entry);
// Everything up to the mark has completed.
XSCHED_HOT void completed_up_to(const QueueMark& mark);

// The event was recorded at the mark, which was taken before the driver's call.
void event_recorded(Event event, const QueueMark& mark);
// The last record; its entry is null if it is not known.
QueueMark last_record(Event event);
void forget_event(Event event);
// Several processes have the event: they name it by the same bytes, which one of them got from the driver.
void event_shared(Event event, const void* name, size_t bytes);

// A stream of the process waits for what its device does not end, or has waited (queue/path/stand_places.h).
void note_wait();
// Whether the device of `entry`, which is about to wait for the event, has no part in the event's end now: another
// process or another device ends it, or what it follows waits for the host itself.
bool ends_elsewhere(const StreamEntry& entry, Event event);

// `entry` (may be null) is about to wait, on the device, for the event.
void producer_inherits(const StreamEntry* entry, Event event);

}  // namespace xsched::stream
