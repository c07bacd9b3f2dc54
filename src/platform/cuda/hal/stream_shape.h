// Whether a handle that a program gives is a stream. CUDA's driver follows whatever it is given, and ends the program
// where that leads nowhere: so the handle is looked at first. The layout of streams in this driver is learned from two
// of our own: one word of each leads to a body, and a word of that leads back to the handle. For the public interface,
// not for the path of a launch. Any thread.
#pragma once

#include <cstdint>

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {

struct StreamShape {
    uint8_t to_body = 0;
    uint8_t back = 0;
};

// False: these two streams have no such words in common.
bool learn_shape(const void* stream, const void* other, StreamShape* shape);
bool has_shape(const void* stream, const StreamShape& shape);

// False: no stream of this driver. True: one, or nothing can be said, and the driver is to decide. With `context`,
// nullptr where the thread has none, streams of our own are made once.
bool may_be_stream(const stream::Api& api, CUstream stream, CUcontext context);

}  // namespace xsched::cuda
