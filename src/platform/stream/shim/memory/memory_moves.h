// Moves the program's memory to the host and back, as the scheduler orders. On the errands' thread alone: our thread
// for calls that the driver may block (agent/errands.h).
#pragma once

#include "platform/stream/shim/memory/memory_pieces.h"
#include "queue/abi/memory_abi.h"

namespace xsched::stream::memory {

extern const XqMemoryOps kMemoryOps;

// Gives the host's memory of a range back. Any thread.
void drop_host(PieceRange& range);

}  // namespace xsched::stream::memory
