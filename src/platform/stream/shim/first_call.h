// The first call of any entry point of a shim: it opens the vendor's library and points every slot at its target. One
// of these for each shim. Any thread.
#pragma once

#include <atomic>
#include <cerrno>

#include "base/mutex.h"

namespace xsched::stream {

static_assert(sizeof(std::atomic<void*>) == sizeof(void*), "a slot is what a trampoline jumps through");

class FirstCall {
public:
    // Calls `resolve_all` (which opens the library) unless an earlier call did, and keeps errno. Returns whether the
    // library's work is scheduled. Within `resolve_all` returns false: a library that calls its own exported
    // functions while it is being opened ends up here again.
    template <typename Function>
    static bool schedules(Function resolve_all) {
        if (resolving_) return false;
        if (!resolved_.load(std::memory_order_acquire)) {
            const int saved = errno;
            base::Lock lock(mutex_);
            resolving_ = true;
            if (!resolved_.load(std::memory_order_relaxed)) schedules_.store(resolve_all(), std::memory_order_release);
            resolving_ = false;
            resolved_.store(true, std::memory_order_release);
            errno = saved;
        }
        return schedules_.load(std::memory_order_acquire);
    }
    // Returns whether this thread is within `resolve_all`.
    static bool is_under_way() { return resolving_; }
    static bool is_over() { return resolved_.load(std::memory_order_acquire); }

private:
    static inline constinit std::atomic<bool> resolved_{false};
    static inline constinit std::atomic<bool> schedules_{false};
    static inline constinit base::Mutex mutex_;
    [[gnu::tls_model("initial-exec")]] static inline constinit thread_local bool resolving_ = false;
};

}  // namespace xsched::stream
