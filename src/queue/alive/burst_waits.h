// Counts how often a thread of this process waits within a burst for which a keep-alive holds the device (work without
// effect, so that the hardware does not switch to another process; keep_alive.h). If the last bursts all had the same
// number of waits, and nothing was launched behind the last wait, the keep-alive ends at that wait: otherwise other
// programs would wait for nothing. Plain atomics; no allocation.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/sample.h"

namespace xsched::queue {

class BurstWaits {
public:
    static constexpr uint32_t kEnough = 4;  // equal bursts in a row before their number of waits is trusted
    static constexpr uint32_t kNotFor = 64;  // bursts without trust after one that continued behind its last wait
    // How long behind the usual end of a burst a wait still counts as the burst's: as long as a machine may be busy
    // with something else.
    static constexpr int64_t kMoreNs = 2 * base::kMillisecond;  // decision 023

    // Notes that the device is held for another burst, so the last burst's waits are counted. One thread at a time.
    void burst_expected() {
        until_ns_.store(0, std::memory_order_relaxed);
        const uint32_t waits = waits_.exchange(0, std::memory_order_relaxed);
        if (waits == 0) return;  // the burst did not come, or came too late to be held
        if (const uint32_t left = not_for_.load(std::memory_order_relaxed); left != 0)
            not_for_.store(left - 1, std::memory_order_relaxed);
        last_.add(waits);
        usual_.store(last_.full() && last_.alike(0) ? waits : 0, std::memory_order_relaxed);
    }
    // Notes that the burst has begun and usually ends by then. Any thread, like the following.
    void burst_begun(int64_t end_ns) { until_ns_.store(end_ns + kMoreNs, std::memory_order_relaxed); }
    // Notes a wait. Returns whether it is the burst's last, as far as known.
    bool wait_begun(int64_t now_ns) {
        if (!goes_on(now_ns)) return false;
        const uint32_t waits = waits_.fetch_add(1, std::memory_order_relaxed) + 1;
        return known() && waits == usual_.load(std::memory_order_relaxed);
    }
    // Returns whether the number of waits of the next burst is known.
    bool known() const {
        return not_for_.load(std::memory_order_relaxed) == 0 && usual_.load(std::memory_order_relaxed) != 0;
    }
    // Notes the first launch behind the last wait.
    void launched_behind(int64_t now_ns) {
        if (goes_on(now_ns)) not_for_.store(kNotFor, std::memory_order_relaxed);
    }

private:
    bool goes_on(int64_t now_ns) const { return now_ns < until_ns_.load(std::memory_order_relaxed); }

    std::atomic<int64_t> until_ns_{0};  // until when waits count as the burst's; 0: no burst
    std::atomic<uint32_t> waits_{0};  // waits of the burst under way, or of the last one
    base::Sample<uint32_t, kEnough> last_;  // those of the last bursts; for burst_expected alone
    std::atomic<uint32_t> usual_{0};  // that number, if all of them had as many; 0: unknown
    std::atomic<uint32_t> not_for_{0};
};

}  // namespace xsched::queue
