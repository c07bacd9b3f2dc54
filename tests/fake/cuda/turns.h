// One device for several processes: where FAKE_CUDA_SHARED names a file, executors that have it open run their kernels
// in turns, one at a time, as processes do on a GPU. Without it each process has its devices to itself. Each thread has
// a place of its own in the queue.
#pragma once

#include <cstdint>

#include "base/no_copies.h"

namespace fake {

// The right of this thread to use the device. The constructor waits for the thread's turn, the destructor ends the
// turn.
class Turn : xsched::base::NoCopies {
public:
    Turn();
    ~Turn();

    bool taken() const { return taken_; }
    // Called again and again during a kernel: gives the device to other threads when this turn has lasted long, and
    // for as long as the kernel may not run. Returns the time then.
    int64_t keep(bool may_run, int64_t now);

private:
    void take();
    void give();
    int64_t began_ = 0;
    bool taken_ = false;
};

}  // namespace fake
