// Notices a policy that stalls one device: a unit has work, and for a whole limit no unit that wants the device was
// chosen to run. Such a policy suspends all of them, or picks units that have nothing to do.
// Pure; one object per device; not thread-safe.
#pragma once

#include <cstdint>

namespace xsched::sched {

class StallWatchdog {
public:
    static constexpr int64_t kLimitNs = 1'000'000'000;  // safety

    // Returns whether the limit is reached. `work`: some unit has work; `served`: a unit that wants the device was
    // chosen.
    bool stalls(bool work, bool served, int64_t now_ns) {
        if (!work || served) {
            since_ns_ = -1;
            return false;
        }
        if (since_ns_ < 0) since_ns_ = now_ns;
        return now_ns - since_ns_ >= kLimitNs;
    }
    void reset() { since_ns_ = -1; }
    // Returns when to look again although nothing happened; 0: no need.
    int64_t wake_at_ns() const { return since_ns_ < 0 ? 0 : since_ns_ + kLimitNs; }

private:
    int64_t since_ns_ = -1;
};

}  // namespace xsched::sched
