// Notes where events stand in the queues. An event that turns out to be complete tells what has completed; a stream
// that waits for one waits for the event's queue. The events are the driver's own. Any thread.
#pragma once

#include <cstddef>

#include "platform/stream/shim/streams.h"
#include "vendor.h"

namespace xsched::stream {

// A place in a queue; everything before it was given to the driver earlier.
struct QueueMark {
    StreamEntry* entry = nullptr;
    uint32_t serial = 0;
    uint64_t mark = 0;
};

// Returns the last place that is surely in the queue. `entry` may be nullptr, for unscheduled streams.
XSCHED_HOT QueueMark mark_of(StreamEntry* entry);
// Notes that everything up to the mark has completed.
XSCHED_HOT void completed_up_to(const QueueMark& mark);

// Notes that the event was recorded at the mark, which was taken before the driver's call.
void event_recorded(Event event, const QueueMark& mark);
// Returns the event's last record; its entry is null if it is not known.
QueueMark last_record(Event event);
void forget_event(Event event);
// Notes that several processes share the event: they name it by the same bytes, which the driver gave to one of them.
void event_shared(Event event, const void* name, size_t bytes);

// Notes that a stream of the process waits, or has waited, for something that its device does not end
// (queue/path/stand_places.h).
void note_wait();
// Returns whether the event is ended by something else than the device of `entry`, which is about to wait for it:
// another process, another device, or work that itself waits for the host.
bool ends_elsewhere(const StreamEntry& entry, Event event);

// `entry` (may be null) is about to wait on the device for the event: the event's queue inherits its priority.
void producer_inherits(const StreamEntry* entry, Event event);

}  // namespace xsched::stream
