#include "platform/hip/hal/stop_choice.h"

namespace xsched::hip {
namespace {

bool may_be_on(const StoppableStream& stream, uint32_t gpu) { return stream.gpu == 0 || stream.gpu == gpu; }

bool uses(const StoppableStream& stream, unsigned queue) {
    return stream.known && (stream.uses[queue / 64] >> queue % 64 & 1) != 0;
}

bool must_stop(const StoppableStream* streams, unsigned count, const StoppableQueue& queue, unsigned number) {
    bool asked = false;      // by a stream that uses it
    bool all_ask = true;     // of its GPU
    bool one_there = false;  // at all
    for (unsigned i = 0; i < count; ++i) {
        const StoppableStream& stream = streams[i];
        if (!may_be_on(stream, queue.gpu)) continue;
        one_there = true;
        asked = asked || (stream.asks && uses(stream, number));
        if (stream.asks) continue;
        all_ask = false;
        if (!stream.known || uses(stream, number)) return false;
    }
    return asked || (one_there && all_ask);
}

}  // namespace

void choose_stops(const StoppableStream* streams, unsigned stream_count, StoppableQueue* queues, unsigned queue_count) {
    for (unsigned i = 0; i < queue_count; ++i) queues[i].stopped = must_stop(streams, stream_count, queues[i], i);
}

}  // namespace xsched::hip
