// A victim on its way off the device. It is off once its agent (our thread in its process) has made its call to the
// driver and the device has obeyed. Until then the hardware returns the device to the victim in each pause of the
// urgent unit, so the urgent unit should keep it. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/costs.h"
#include "sched/facts/times.h"

namespace xsched::sched {

class Departure {
public:
    // Begins a departure. `kept_off`: a short timeslice has taken the victim off, and the call only prevents its
    // return.
    void begin(const Costs& costs, int64_t now_ns, bool kept_off = false) {
        costs_ = costs;
        kept_off_ = kept_off;
        since_ns_ = now_ns;
        under_way_ = true;
    }
    bool under_way() const { return under_way_; }
    // Returns until when the device should be kept, at least. `called`: the victim's agent has made its call. The
    // departure ends with that call, or when the agent has not answered for as long as it ever takes.
    int64_t keep_until_ns(bool called, int64_t now_ns) {
        if (called || now_ns - since_ns_ >= costs_.most_off_ns()) under_way_ = false;
        // A short timeslice has taken the victim off already, and the call that prevents its return is made: the
        // device is kept only until the next look.
        if (called && kept_off_) return now_ns + kLookNs;
        return std::max(since_ns_ + costs_.off_ns(), now_ns + costs_.effect_ns());
    }

private:
    Costs costs_;
    int64_t since_ns_ = 0;
    bool under_way_ = false;
    bool kept_off_ = false;
};

}  // namespace xsched::sched
