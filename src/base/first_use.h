// The first use of an object by one of several threads: one thread prepares the object, without a lock, and other
// threads that use the same object wait for it. Any thread.
#pragma once

#include "base/fork.h"
#include "base/futex.h"
#include "base/no_copies.h"

namespace xsched::base {

class FirstUse : NoCopies {
public:
    // Returns whether the object is prepared.
    bool is_over() const { return state_.load(std::memory_order_acquire) == kOver; }
    // Returns true if the caller is the one to prepare the object, and then to call over(). Otherwise waits until the
    // object is prepared, and returns false.
    bool begin() {
        for (;;) {
            uint32_t state = state_.load(std::memory_order_acquire);
            if (state == kOver) return false;
            if (state == preparing())
                futex_wait(state_, state);
            else if (state_.compare_exchange_strong(state, preparing(), std::memory_order_acq_rel))
                return true;
        }
    }
    void over() {
        state_.store(kOver, std::memory_order_release);
        futex_wake_all(state_);
    }

private:
    static constexpr uint32_t kPreparing = 1;
    static constexpr uint32_t kOver = 2;

    // Returns the state "a thread prepares the object", which contains the fork generation. A forked child sees another
    // generation, so it knows that the preparing thread does not exist there, and prepares the object itself.
    static uint32_t preparing() { return kPreparing | fork_generation() << 2; }

    FutexWord state_{0};
};

}  // namespace xsched::base
