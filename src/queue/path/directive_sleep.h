// Lets the program's threads sleep until their process gets a new directive: the scheduler's word on which queues may
// run, numbered in shared memory. The scheduler, or another thread that directs it, wakes them along with the agent's
// thread. That one may be awake, though: it looks at the word for a while instead of sleeping, or makes a call. Then
// the others sleep on, and it wakes them once it sees the directive itself. Any thread; no lock held.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.h"
#include "ipc/layout.h"

namespace xsched::queue {

class DirectiveSleep {
public:
    // Sleeps until the header's directive number differs from `seen`, for at most `timeout_ns`. May return early.
    static void sleep(ipc::Header& header, uint32_t seen, int64_t timeout_ns) {
        asleep_.fetch_add(1, std::memory_order_seq_cst);
        base::futex_wait(header.directive, seen, timeout_ns);
        asleep_.fetch_sub(1, std::memory_order_relaxed);
    }
    // Wakes sleeping threads, on the agent's thread, for a directive that it has not carried out yet.
    static void wake(ipc::Header& header) {
        if (asleep_.load(std::memory_order_seq_cst) != 0) base::futex_wake_all(header.directive);
    }

    // Forgets sleepers, in a forked child: their threads do not exist there.
    static void forget() { asleep_.store(0, std::memory_order_relaxed); }

private:
    static inline std::atomic<uint32_t> asleep_{0};
};

}  // namespace xsched::queue
