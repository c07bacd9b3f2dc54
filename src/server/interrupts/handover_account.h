// The price of one user's handovers: sets that proved false, and the time of the thread that acts on all users' sets.
// Kept by the interrupter's thread; any thread reads what is atomic.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace xsched::server {

class HandoverAccount {
public:
    // Sets so far that were refused, modulo 2^32.
    uint32_t refused() const { return refused_.load(std::memory_order_relaxed); }

    // The rest: interrupter's thread.
    // Counts one. True: a line about this user may be written, at most one each second.
    bool refuse(int64_t now_ns) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return may_log(now_ns);
    }
    bool may_log(int64_t now_ns) {
        if (logged_ns_ != 0 && now_ns - logged_ns_ < base::kSecond) return false;
        logged_ns_ = now_ns;
        return true;
    }
    // How much of the thread's time the user had lately: the one with least comes next.
    int64_t served_ns(int64_t now_ns) {
        if (now_ns - window_began_ns_ >= kWindowNs) {
            window_began_ns_ = now_ns;
            served_ns_ = 0;
        }
        return served_ns_;
    }
    void serve(int64_t now_ns, int64_t ns) { served_ns_ = served_ns(now_ns) + std::max<int64_t>(ns, 0); }

private:
    // Older entries have no say: several looks at a client that does not answer (interrupter.cpp, kLookEveryNs).
    static constexpr int64_t kWindowNs = 100 * base::kMillisecond;

    std::atomic<uint32_t> refused_{0};
    int64_t logged_ns_ = 0;
    int64_t window_began_ns_ = 0;
    int64_t served_ns_ = 0;
};

}  // namespace xsched::server
