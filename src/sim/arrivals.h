// Computes when a program's bursts arrive. Not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/workload.h"

namespace xsched::sim {

class Arrivals {
public:
    Arrivals(const Arrival& arrival, Random random) : arrival_(arrival), random_(random) {}

    // Returns when the next burst arrives. `now_ns`: the end of the last one.
    int64_t next_ns(int64_t now_ns) {
        switch (arrival_.kind) {
            case ArrivalKind::kClosed: return now_ns + random_.in(arrival_.think_ns);
            case ArrivalKind::kPeriodic:
                at_ns_ = at_ns_ < 0 ? now_ns + random_.below(arrival_.period_ns) : at_ns_ + arrival_.period_ns;
                return at_ns_ + random_.in({-arrival_.jitter_ns, arrival_.jitter_ns});
            case ArrivalKind::kPoisson:
            case ArrivalKind::kModulated: return next_random_ns(now_ns);
            case ArrivalKind::kStream: return now_ns;
        }
        return now_ns;
    }

private:
    int64_t next_random_ns(int64_t now_ns) {
        if (at_ns_ < 0) {
            at_ns_ = now_ns;
            phase_ends_ns_ = phase_ends_ns(now_ns);
        }
        for (;;) {
            const double rate = arrival_.phases[phase_].rate_per_s;
            const int64_t next_ns = rate > 0 ? at_ns_ + random_.exponential(1e9 / rate) : INT64_MAX;
            if (next_ns <= phase_ends_ns_) return at_ns_ = next_ns;
            // Poisson arrivals have no memory, so the next phase begins with a draw of its own.
            at_ns_ = phase_ends_ns_;
            phase_ = (phase_ + 1) % arrival_.phases.size();
            phase_ends_ns_ = phase_ends_ns(at_ns_);
        }
    }
    int64_t phase_ends_ns(int64_t from_ns) {
        if (arrival_.phases.size() == 1) return INT64_MAX;
        return from_ns + std::max<int64_t>(random_.exponential(arrival_.phases[phase_].mean_ns), 1);
    }

    const Arrival& arrival_;
    Random random_;
    int64_t at_ns_ = -1;
    size_t phase_ = 0;
    int64_t phase_ends_ns_ = 0;
};

}  // namespace xsched::sim
