// HIP's particulars around streams: graphs whose launches use streams of the runtime's own, and priorities that change
// later. On the caller's thread.
#pragma once

#include "platform/hip/shim/platform.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/sharing.h"

namespace xsched::hip {

// Reads the stream's priority from the runtime again, and gives it to the XQueue if it has changed. (streams.cpp)
void priority_may_have_changed(hipStream_t stream);

template <stream::EntryPoint kEntry, typename... Rest>
hipError_t graph_made(hipGraphExec_t* graph, Rest... rest) {
    const hipError_t code = stream::driver<kEntry>()(graph, rest...);
    const stream::KeepErrno keep;
    if (code == hipSuccess) stream::count_graphs(stream::current_context(*stream::hal_api()));
    return code;
}

template <stream::EntryPoint kEntry, typename... Rest>
hipError_t stream_attributes(hipStream_t stream, Rest... rest) {
    const hipError_t code = stream::driver<kEntry>()(stream, rest...);
    const stream::KeepErrno keep;
    if (code == hipSuccess) priority_may_have_changed(stream);
    return code;
}

}  // namespace xsched::hip
