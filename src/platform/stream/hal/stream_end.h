// The end of what a stream has, as an event: to wait for it leaves a capture alone that begins meanwhile. Threads of
// the program.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

// Translates a call's code; a code that is no success is logged, once as a warning.
XResult checked(HwQueue& hwq, const char* function, Result code);
// An event behind all that the stream has; nullptr: `result` says why not.
Event mark_end(HwQueue& hwq, XResult* result);
// Without the guard (driver_use.h): this may last. Gives the event back.
Result wait_for(HwQueue& hwq, Event end);

}  // namespace xsched::stream
