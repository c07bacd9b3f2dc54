// Threads that wait for something to change in a queue. Guarded by the queue's lock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/futex.h"
#include "base/mutex.h"

namespace xsched::queue {

class Waiters {
public:
    bool any() const { return count_ != 0; }

    // Wakes waiting threads: one system call, and none if no thread waits. The lock is held.
    void wake() {
        if (count_ == 0) return;
        changed_.fetch_add(1, std::memory_order_release);
        base::futex_wake_all(changed_);
    }

    // Sleeps without the lock, at most `patience_ns`; `done` is evaluated under the lock after every change. The lock
    // is not held.
    template <typename Done>
    void wait(base::Mutex& mutex, Done done, int64_t patience_ns = base::kForever) {
        const int64_t until = patience_ns != base::kForever ? base::now_ns() + patience_ns : 0;
        base::Lock lock(mutex);
        ++count_;
        while (!done() && patience_ns != 0) {
            const uint32_t seen = changed_.load(std::memory_order_relaxed);
            mutex.unlock();
            base::futex_wait(changed_, seen, patience_ns);
            if (patience_ns != base::kForever) patience_ns = std::max<int64_t>(until - base::now_ns(), 0);
            mutex.lock();
        }
        --count_;
    }

    // Forgets all waiting threads. Call in a forked child, where those threads do not exist.
    void forget() { count_ = 0; }

private:
    base::FutexWord changed_{0};
    uint32_t count_ = 0;
};

}  // namespace xsched::queue
