// A program that throws its own work away: queues of its own, suspended, resumed with kQueueResumeFlagDropCommands and
// released, while another of its threads enqueues on them. The content of their buffers is unknown afterwards; every
// command must end, complete or with an error, and a queue must work afterwards.
#pragma once

#include <atomic>
#include <thread>

#include "order/opencl/world.h"

namespace order::opencl {

class Dropper {
public:
    Dropper(World& world, uint64_t seed);
    ~Dropper() { stop(); }
    Dropper(const Dropper&) = delete;
    Dropper& operator=(const Dropper&) = delete;
    // Ends the thread after the queue that it is working on. Returns how many commands ended without having run.
    int64_t stop();

private:
    void loop();
    void one_queue(Context& context);
    void enqueue(const Queue& queue, cl_mem buffer, std::vector<cl_event>& events);
    void await(std::vector<cl_event>& events);

    World& world_;
    Random random_;
    std::atomic<bool> stop_{false};
    int64_t dropped_ = 0;
    size_t next_word_ = 0;
    std::thread thread_;
};

}  // namespace order::opencl
