// How long a process takes to be off its device at level 3, as the scheduler has seen it. It refines what its platform
// declares for all machines alike (Costs): the bus, the processors, a virtual machine and the vendor's driver make it
// longer or shorter (docs/decisions/025). Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sample.h"
#include "sched/facts/costs.h"

namespace xsched::sched {

class OffTimes {
public:
    // How many of the last times are remembered. With fewer than half of them known, the declared costs are used
    // (decision 025). usual_us() leaves out the longest tenth, rounded down: the longest of 16, none of fewer than ten.
    static constexpr unsigned kKept = 16;
    static constexpr uint32_t kMostFactor = 4;  // safety: measured times change a declared cost by at most this factor,
                                                // up or down

    // Adds the time from a directive until the process's agent has said that it is off.
    void add(int64_t ns) {
        times_us_.add(static_cast<uint32_t>(std::clamp<int64_t>(ns / 1000, 1, INT32_MAX)));
        if (2 * times_us_.count() >= kKept) usual_us_ = times_us_.most_but(times_us_.count() / 10);
    }

    // Sets the time that was usual in the program's last run; 0: not known. It counts until this run has enough times.
    void begin_with(uint32_t us) { usual_us_ = std::min<uint32_t>(us, INT32_MAX); }
    // Returns the time that nine of ten remembered times do not exceed; 0: not known yet.
    uint32_t usual_us() const { return usual_us_; }

    // Replaces the declared costs by measured ones. "Usually" means nine of ten times: a caller would rather wait a
    // little longer than too short.
    Costs refined(Costs costs) const {
        if (usual_us_ == 0 || costs.off_us == 0) return costs;
        const uint32_t off_us =
            std::clamp(usual_us_ + costs.effect_us, costs.off_us / kMostFactor, costs.off_us * kMostFactor);
        costs.off_us = off_us;
        costs.most_off_us = std::max(costs.most_off_us, off_us);
        return costs;
    }

private:
    base::Sample<uint32_t, kKept> times_us_;
    uint32_t usual_us_ = 0;
};

}  // namespace xsched::sched
