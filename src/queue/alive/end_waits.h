// Learns whether long bursts that this process holds to their end (keep_alive.h) end with a wait. If so, the wait ends
// the hold, which may last longer than the bursts usually do. Plain atomics; no allocation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace xsched::queue {

class EndWaits {
public:
    static constexpr uint32_t kEnough = 4;  // bursts in a row that a wait must have followed

    // Notes that a burst is held to its end. One thread at a time.
    void held() {
        if (pending_.exchange(true, std::memory_order_relaxed)) in_row_.store(0, std::memory_order_relaxed);
    }
    // Notes a wait, which ends the hold or would have ended it. Any thread.
    void wait_begun() {
        if (!pending_.exchange(false, std::memory_order_relaxed)) return;
        in_row_.store(std::min(in_row_.load(std::memory_order_relaxed) + 1, kEnough), std::memory_order_relaxed);
    }
    bool known() const { return in_row_.load(std::memory_order_relaxed) >= kEnough; }

private:
    std::atomic<bool> pending_{false};  // no wait has followed the last hold yet
    std::atomic<uint32_t> in_row_{0};  // holds in a row that a wait followed
};

}  // namespace xsched::queue
