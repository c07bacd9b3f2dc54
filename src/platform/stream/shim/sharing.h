// Tells which streams may be in one hardware queue, where one can block another. If the platform sees the queue of a
// stream's commands (call_watch.h), that is known. Otherwise streams are counted as they are created: a stream gets the
// least used queue then, and keeps it, even if the stream is never used. For platforms with kSharesHardware. Any
// thread.
#pragma once

#include "platform/stream/shim/stream_entry.h"

namespace xsched::stream {

// Returns whether the two streams, of one context, may share a queue.
bool may_share(const StreamEntry& entry, const StreamEntry& other);

void count_created(Stream stream, Context context, int32_t priority);
void count_gone(Stream stream);
// Counts streams that graphs have in this context and that the shim does not see.
void count_graphs(Context context);

}  // namespace xsched::stream
