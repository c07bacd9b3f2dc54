// Which of the process's queues are to be stopped, from what is known about its streams and queues. Pure.
//
// A queue is stopped if a stream that uses it asks for that and none that does not ask may use it. Some queues are not
// known to be of a scheduled stream: the runtime's own, and all where nothing is observed. They are stopped when every
// scheduled stream of their GPU asks. A stream whose queue is not known may use any queue of its GPU. A stream whose
// GPU is not known may use any queue of the process.
#pragma once

#include <cstdint>

namespace xsched::hip {

struct StoppableStream {
    bool asks = false;
    uint32_t gpu = 0;  // 0: not known
    bool known = false;  // which queues it uses: bit n of `uses` for the nth of those given
    uint64_t uses[2] = {};
};

struct StoppableQueue {
    uint32_t gpu = 0;
    bool stopped = false;  // the answer
};

// Sets `stopped` of each queue. Takes 128 queues at most.
void choose_stops(const StoppableStream* streams, unsigned stream_count, StoppableQueue* queues, unsigned queue_count);

}  // namespace xsched::hip
