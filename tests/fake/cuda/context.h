// Contexts: which one this thread is in, and what a stream handle means there. Any thread.
#pragma once

#include "fake/cuda/engine.h"

namespace fake {

Context* current();  // nullptr: none; may be destroyed
// Stores this thread's context, if it can be used; otherwise returns the error that says why not.
CUresult current_usable(Context** context);

enum class Within { kOwnContext, kAnyContext };  // which context the thread must be in
// Finds the stream of a handle: NULL, the legacy or per-thread stream, or an ordinary one.
CUresult stream_of(CUstream handle, Within within, Stream** stream);

Context* make_context(Device& device, unsigned flags);
// Waits for the context's work, then frees the context and all its objects.
void end_context(Context& context);

}  // namespace fake
