// Which calls of this thread are XSched's own, and the thread's last error.
//
// hipGetLastError tells a thread's last error, and programs ask it after each launch. Calls of our own may set it, or
// (in runtimes before 6.0, where success resets it) hide it. OwnCalls (vendor.h) puts it back: an error of ours is
// taken away; one that ours hid is kept here, for the hooks of hipGetLastError and hipPeekAtLastError to give out.
#pragma once

#include "platform/hip/hal/vendor.h"

namespace xsched::stream {

// Returns the error of this thread that XSched's own calls hid; 0: none.
Result hidden_error();
void forget_hidden_error();

}  // namespace xsched::stream
