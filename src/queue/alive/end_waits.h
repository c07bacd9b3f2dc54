// Learns whether long bursts that this process holds to their end (keep_alive.h) end with a wait. If so, the wait ends
// the hold, which may last longer than the bursts usually do. Plain atomics; no allocation.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sample.h"
#include "queue/alive/burst_waits.h"

namespace xsched::queue {

class EndWaits {
public:
    static constexpr uint32_t kEnough = BurstWaits::kEnough;  // bursts in a row that a wait must have followed

    // Notes that a burst is held to its end. Returns whether a wait followed each of the last holds. One thread at a
    // time.
    bool held() {
        const Hold last = last_.exchange(Hold::kUnderWay, std::memory_order_relaxed);
        if (last != Hold::kNone) waited_.add(last == Hold::kWaited);
        return waited_.full() && waited_.least();
    }
    // Notes a wait, which ends the hold or would have ended it. Any thread.
    void wait_begun() {
        Hold expected = Hold::kUnderWay;
        last_.compare_exchange_strong(expected, Hold::kWaited, std::memory_order_relaxed);
    }

private:
    enum class Hold : uint8_t { kNone, kUnderWay, kWaited };
    std::atomic<Hold> last_{Hold::kNone};
    base::Sample<bool, kEnough> waited_;  // whether a wait followed; for held alone
};

}  // namespace xsched::queue
