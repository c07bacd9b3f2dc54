// Marks the end of a stream's work by an event: waiting for the event does not disturb a capture that begins meanwhile.
// Threads of the program.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

// Translates a call's code, and logs it if it is no success; once as a warning.
XResult checked(HwQueue& hwq, const char* function, Result code);
// Returns an event behind everything in the stream; nullptr: `result` says why not.
Event mark_end(HwQueue& hwq, XResult* result);
// Waits for the event without the guard (driver_use.h), since this may last, and destroys it.
Result wait_for(HwQueue& hwq, Event end);

}  // namespace xsched::stream
