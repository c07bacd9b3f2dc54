// Whether the bursts to the end of which this process holds the device (keep_alive.h) end with a wait: then that ends
// the hold, which may so stand longer than they usually last. Plain atomics; no allocation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace xsched::queue {

class EndWaits {
public:
    static constexpr uint32_t kEnough = 4;  // bursts in a row

    // The device is held to the end of another burst. Not from two threads at once.
    void held() {
        if (pending_.exchange(true, std::memory_order_relaxed)) in_row_.store(0, std::memory_order_relaxed);
    }
    // A wait ends that, or would have. Any thread.
    void wait_begun() {
        if (!pending_.exchange(false, std::memory_order_relaxed)) return;
        in_row_.store(std::min(in_row_.load(std::memory_order_relaxed) + 1, kEnough), std::memory_order_relaxed);
    }
    bool known() const { return in_row_.load(std::memory_order_relaxed) >= kEnough; }

private:
    std::atomic<bool> pending_{false};  // no wait has followed the last hold
    std::atomic<uint32_t> in_row_{0};  // holds that a wait followed
};

}  // namespace xsched::queue
