// The hardware queues that streams of a context share, as AMD's runtime has them: of each priority at most
// FAKE_CUDA_HARDWARE_QUEUES, in which commands run in the order of their submission. A stream gets one when it is made:
// a new one while there are fewer, else that with the fewest streams, whether or not those are in use.
//
// With FAKE_HIP_HSA (fake/hip/fake_hip.h) each is a queue of the HSA stand-in, made by calling it, whose indices tell
// what was put in and taken out; it is off the hardware where that queue is. Guarded by the context's mutex unless said
// otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fake/cuda/channels.h"

struct CUstream_st;

namespace fake {

struct HardwareQueue {
    void put_in();
    void taken_out();  // the executor's, without the mutex

    int priority = 0;
    unsigned streams = 0;
    uint64_t last_number = 0;  // of the last command: its stream, and how many that had with it
    CUstream_st* last_stream = nullptr;
    void* hsa = nullptr;  // its amd_queue_t
    Channels channels;  // only `disabled`
};

class HardwareQueues {
public:
    // Returns the hardware queue for a new stream of this priority; nullptr if FAKE_CUDA_HARDWARE_QUEUES is not set,
    // so that streams have queues of their own.
    HardwareQueue* take(int ordinal, int priority);
    void give(HardwareQueue* queue);
    // The runtime may move an idle stream to another hardware queue. With FAKE_HIP_DYNAMIC_QUEUES=1 this does it, and
    // returns the new one.
    HardwareQueue* move(HardwareQueue* queue);
    // Returns the device's queue for cooperative kernels, which all streams share.
    HardwareQueue* cooperative(int ordinal);
    // With the context.
    void end();

private:
    HardwareQueue* make(int ordinal, int priority);
    std::map<int, std::vector<std::unique_ptr<HardwareQueue>>> queues_;
    std::unique_ptr<HardwareQueue> cooperative_;
    std::vector<std::unique_ptr<HardwareQueue>> ended_;  // the executor may still look at one
    unsigned moves_ = 0;
};

// Returns whether AMD's queues are the HSA stand-in's.
bool has_hsa();

}  // namespace fake
