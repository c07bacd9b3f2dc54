// The cost of taking a process off a device, as its platform has measured or declared it (XqCosts in queue/device.h).
// 0: negligible or unknown. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "xsched/types.h"

namespace xsched::sched {

struct Costs {
    uint32_t switch_us = 0;     // the hardware's switch from another process's work to this one's
    uint32_t off_us = 0;  // level 3: usual time from the directive until the process is off the device; its agent
                          // has to wake first
    uint32_t most_off_us = 0;  // level 3: longest time from the directive until the process is off
    uint32_t effect_us = 0;  // level 3: from the call's return until the device has obeyed
    uint32_t interrupt_us = 0;  // level 3: the calls that take it off and put it back, together

    // Returns whether the device's timeslices can be set: such a device declares what a switch costs.
    bool has_timeslices() const { return switch_us != 0; }
    int64_t switch_ns() const { return int64_t{switch_us} * 1000; }
    int64_t off_ns() const { return int64_t{off_us} * 1000; }
    int64_t most_off_ns() const { return int64_t{most_off_us} * 1000; }
    int64_t effect_ns() const { return int64_t{effect_us} * 1000; }
    int64_t interrupt_ns() const { return int64_t{interrupt_us} * 1000; }

    // Combines the costs of two queues that are taken off together.
    void join(const Costs& other) {
        switch_us = std::max(switch_us, other.switch_us);
        off_us = std::max(off_us, other.off_us);
        most_off_us = std::max(most_off_us, other.most_off_us);
        effect_us = std::max(effect_us, other.effect_us);
        interrupt_us = std::max(interrupt_us, other.interrupt_us);
    }
    bool operator==(const Costs&) const = default;
};

// Returns whether a unit of this level shares its context with other processes, as under MPS: the context's timeslice
// can be set, but it cannot be taken off for one of them.
inline bool shares_context(uint32_t level, const Costs& costs) {
    return level < kPreemptLevelInterrupt && costs.has_timeslices();
}

}  // namespace xsched::sched
