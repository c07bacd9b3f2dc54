// The listeners to whom a part of the simulation tells what happened. It knows nothing else about them. Times are the
// virtual clock's.
#pragma once

#include <cstdint>

namespace xsched::sim {

struct Command;

// Of a stream's commands, by the device: the queue.
class CompletionTold {
public:
    virtual void completed_on_device(const Command& command, int64_t now_ns) = 0;

protected:
    ~CompletionTold() = default;
};

// Of its queues, by these, and of directives, by its agent: the program.
class ProgramTold {
public:
    virtual void completed(int64_t now_ns) = 0;
    virtual void directed(int64_t now_ns) = 0;

protected:
    ~ProgramTold() = default;
};

// Of a client's doorbell: the server.
class RingTold {
public:
    virtual void ring(uint32_t id, int64_t now_ns) = 0;

protected:
    ~RingTold() = default;
};

}  // namespace xsched::sim
