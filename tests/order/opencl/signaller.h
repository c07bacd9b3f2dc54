// Completes user events, in no particular order: from a thread of its own that never waits for anything, or from the
// completion callback of another command.
#pragma once

#include "order/core/later.h"
#include "order/opencl/tracker.h"

namespace order::opencl {

// Sets a user event and lets go of it.
struct SetEvent {
    static void perform(const cl_event& event, Random& random);
};

class Signaller : Later<cl_event, SetEvent> {
public:
    using Later::Later;

    // Sets `event` after a short random time. Takes a reference of its own.
    void set_soon(cl_event event);
    // Sets `event` when `after` is complete. Takes a reference of its own.
    static void set_after(const TrackerPtr& after, cl_event event);
};

// Returns how many user events were handed over and are not set yet.
int64_t user_events_owed();

}  // namespace order::opencl
