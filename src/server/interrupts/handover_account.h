// The cost of one user's handovers: the sets that proved false, and the time of the thread that acts on all users'
// sets. The interrupter's thread writes it; any thread may read the atomic parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace xsched::server {

class HandoverAccount {
public:
    // Returns the number of sets refused so far, modulo 2^32.
    uint32_t refused() const { return refused_.load(std::memory_order_relaxed); }

    // Counts a refused set. Returns true if a line about this user may be logged: at most one each second. This
    // function and those below: interrupter's thread.
    bool refuse(int64_t now_ns) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return may_log(now_ns);
    }
    bool may_log(int64_t now_ns) {
        if (logged_ns_ != 0 && now_ns - logged_ns_ < base::kSecond) return false;
        logged_ns_ = now_ns;
        return true;
    }
    // Returns how much of the thread's time the user had lately. The user with the least comes next.
    int64_t served_ns(int64_t now_ns) {
        if (now_ns - window_began_ns_ >= kWindowNs) {
            window_began_ns_ = now_ns;
            served_ns_ = 0;
        }
        return served_ns_;
    }
    void serve(int64_t now_ns, int64_t ns) { served_ns_ = served_ns(now_ns) + std::max<int64_t>(ns, 0); }

private:
    // Only time that the thread spent for the user in this last window counts. The window is several times
    // kLookEveryNs, the interval of looks at a client that does not answer (interrupter.cpp).
    static constexpr int64_t kWindowNs = 100 * base::kMillisecond;

    std::atomic<uint32_t> refused_{0};
    int64_t logged_ns_ = 0;
    int64_t window_began_ns_ = 0;
    int64_t served_ns_ = 0;
};

}  // namespace xsched::server
