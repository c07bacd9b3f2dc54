// How much may be in flight (launched and not complete) on one queue: the launch threshold and batch. Pure values;
// guarded by the queue's lock.
//
//  - set explicitly (API, environment, xcli config): `threshold` commands, refilled `batch_size` at a time;
//  - no more urgent unit can come: 16 and 8;
//  - one can: a time. About window_ns of device time or one command, whichever is more. A preemption waits for
//    that much, and the device still has its next command when one completes.
#pragma once

#include <cstdint>

namespace xsched::queue {

class Window {
public:
    // Sets both values; 0: automatic. A threshold below the batch size lowers the batch size.
    void configure(uint32_t threshold, uint32_t batch_size);

    // Returns how many commands may be in flight, at least 1. `window_ns` as in ipc::QueueSlot; `command_ns`: mean
    // length; 0: unknown.
    uint32_t limit(int64_t window_ns, int64_t command_ns) const;
    // Returns how many commands to release at a time under that limit: 1..limit.
    uint32_t batch(uint32_t limit) const;

    uint32_t threshold() const { return threshold_; }
    uint32_t batch_size() const { return batch_size_; }

private:
    uint32_t threshold_ = 0;
    uint32_t batch_size_ = 0;
};

}  // namespace xsched::queue
