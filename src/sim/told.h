// Interfaces by which one part of the simulation tells another what happened, without knowing more about it. Times are
// the virtual clock's.
#pragma once

#include <cstdint>

namespace xsched::sim {

struct Command;

// Implemented by a queue: the device tells it of a stream's commands.
class CompletionTold {
public:
    virtual void completed_on_device(const Command& command, int64_t now_ns) = 0;

protected:
    ~CompletionTold() = default;
};

// Implemented by a program: its queues tell it of room and completions, its agent of directives and
// memory.
class ProgramTold {
public:
    virtual void completed(int64_t now_ns) = 0;
    virtual void directed(int64_t now_ns) = 0;
    // A request for memory was answered, or its memory is on the device again.
    virtual void memory_changed(int64_t now_ns) = 0;
    virtual bool has_no_work() const = 0;

protected:
    ~ProgramTold() = default;
};

// Implemented by the server: a client's doorbell rings.
class RingTold {
public:
    virtual void ring(uint32_t id, int64_t now_ns) = 0;

protected:
    ~RingTold() = default;
};

}  // namespace xsched::sim
