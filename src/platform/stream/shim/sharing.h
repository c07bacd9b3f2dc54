// Which streams may stand in one hardware queue, where one holds back what the other has behind it. Known where the
// platform sees which queue a stream's commands go to (call_watch.h). Else streams that were created are counted: a
// stream gets its queue then, the least used one, and keeps it, also if nobody ever uses the stream. For platforms with
// kSharesHardware. Any thread.
#pragma once

#include "platform/stream/shim/stream_entry.h"

namespace xsched::stream {

// Both of one context.
bool may_share(const StreamEntry& entry, const StreamEntry& other);

void count_created(Stream stream, Context context, int32_t priority);
void count_gone(Stream stream);
// Graphs have streams of their own in this context, which nobody sees.
void count_graphs(Context context);

}  // namespace xsched::stream
