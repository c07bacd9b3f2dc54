// Tells whether a handle that a program gives is a stream. CUDA's driver follows any pointer it is given, and crashes
// if that is none; so the handle is checked first. The driver's layout of streams is learned from two streams of our
// own: one word of each points to a body, and a word of that points back to the handle. For the public interface, not
// for launches. Any thread.
#pragma once

#include <cstdint>

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {

struct StreamShape {
    uint8_t to_body = 0;
    uint8_t back = 0;
};

// Learns the layout. Returns false if these two streams have no such words in common.
bool learn_shape(const void* stream, const void* other, StreamShape* shape);
bool has_shape(const void* stream, const StreamShape& shape);

// Returns false if the handle is no stream of this driver. Returns true if it is one, or if that is not known and the
// driver should decide. `context`: the thread's, in which streams of our own are made once; nullptr: it has none.
bool may_be_stream(const stream::Api& api, CUstream stream, CUcontext context);

}  // namespace xsched::cuda
