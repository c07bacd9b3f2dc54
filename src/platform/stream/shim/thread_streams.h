// The entries of each thread's own default streams, one per context that the thread used. They end with the thread.
#pragma once

#include "platform/stream/shim/stream_entry.h"

namespace xsched::stream {

// Returns the entry of the calling thread's default stream in this context. Takes no lock.
StreamEntry* find_thread_stream(Context context);
// Adds a stream of the calling thread. When the thread ends, `end` is called for its streams. Returns false if there is
// no memory, or too many contexts.
bool add_thread_stream(StreamEntry* entry, void (*end)(StreamEntry& entry));
// `over` is called at the calling thread's end, whatever streams it has. False: no memory.
bool follow_thread_end(void (*over)());
// Takes an entry of this context out, whichever thread it belongs to; nullptr: there is none left.
StreamEntry* take_thread_stream(Context context);

}  // namespace xsched::stream
