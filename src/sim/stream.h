// The driver's view of one queue: commands in order. The first of them runs, or waits (for its gate, for example).
// Plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "ipc/layout.h"
#include "sim/told.h"

namespace xsched::sim {

struct Command {
    int64_t left_ns = 0;  // device time that it still needs, and that it needed at first
    int64_t whole_ns = 0;
    int64_t ready_ns = 0;  // it cannot start earlier
    uint32_t number = 0;  // its number in the queue, as the queue counts progress
    bool gate = false;  // a gate stands before it
    bool followed = false;  // the queue is watched, so the command's device time is counted
    bool report = false;  // the device writes its number once it is done
    bool hold = false;  // a keep-alive, not a command of the program
};

// An unbounded queue in a ring of memory. Allocates only when it grows.
class CommandRing {
public:
    bool empty() const { return begin_ == end_; }
    Command& front() { return ring_[begin_ & mask()]; }
    const Command& front() const { return ring_[begin_ & mask()]; }
    Command& back() { return ring_[(end_ - 1) & mask()]; }
    void pop() { ++begin_; }
    void push(const Command& command) {
        if (end_ - begin_ == ring_.size()) grow();
        ring_[end_++ & mask()] = command;
    }

private:
    uint32_t mask() const { return static_cast<uint32_t>(ring_.size()) - 1; }
    void grow() {
        std::vector<Command> larger(ring_.size() * 2);
        uint32_t count = 0;
        for (uint32_t at = begin_; at != end_; ++at) larger[count++] = ring_[at & mask()];
        ring_.swap(larger);
        begin_ = 0;
        end_ = count;
    }

    std::vector<Command> ring_ = std::vector<Command>(32);
    uint32_t begin_ = 0;
    uint32_t end_ = 0;
};

struct Stream {
    CompletionTold* queue = nullptr;
    ipc::QueueSlot* slot = nullptr;  // the device reads its gate word and writes its progress word
    CommandRing commands;

    bool can_start(int64_t now_ns) const {
        if (commands.empty() || commands.front().ready_ns > now_ns) return false;
        return !commands.front().gate || slot->gate.load(std::memory_order_relaxed) >= ipc::kGateOpen;
    }
};

}  // namespace xsched::sim
