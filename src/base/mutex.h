// A plain mutex, and its guard. In fork's child it is free, even if another thread held it when the process forked.
// Never held across a call into a vendor's driver.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fork.h"
#include "base/futex.h"

namespace xsched::base {

class Mutex {
public:
    constexpr Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() {
        if (!try_lock()) lock_slowly();
    }
    bool try_lock() {
        uint32_t seen = word_.load(std::memory_order_relaxed);
        return !taken(seen) && word_.compare_exchange_strong(seen, locked(), std::memory_order_acquire);
    }
    void unlock() {
        if ((word_.exchange(0, std::memory_order_release) & kWaitedFor) != 0) wake_one();
    }

private:
    // The word: generation of the process that took it (fork.h) | kLocked | kWaitedFor; 0 is free.
    static constexpr uint32_t kLocked = 1;
    static constexpr uint32_t kWaitedFor = 2;

    static uint32_t locked() { return fork_generation() << 2 | kLocked; }
    static bool taken(uint32_t word) { return (word | kWaitedFor) == (locked() | kWaitedFor); }
    void lock_slowly();
    void wake_one();

    FutexWord word_{0};
};

class Lock {
public:
    explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Mutex& mutex_;
};

}  // namespace xsched::base
