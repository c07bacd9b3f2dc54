// Gives other processes of this user descriptors of the pieces that this process shares (shared_name.h): on a thread of
// its own, which begins with the first shared allocation. Any thread may call. No lock is held while the driver is
// called.
#pragma once

#include <cstdint>

#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// Returns this process's place, and starts the thread if it does not run yet. 0: it cannot run (a sandbox).
uint64_t begin_serving_pieces();
// Returns this process's place; 0: it shares nothing.
uint64_t place_of_pieces();
// Forgets the thread in a forked child, which has no device.
void forget_piece_server();

}  // namespace xsched::stream::memory
