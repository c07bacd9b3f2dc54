// A pass: one decision about one device. It has what the core was given, what the core knows from before, and when it
// wants to decide again. Not thread-safe.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "sched/facts/unit.h"
#include "sched/state/history.h"

namespace xsched::sched {

struct Pass {
    const DeviceUnits& given;
    DeviceHistory& device;
    const Settings& settings;
    int64_t now_ns;
    bool anew;  // true: any unit may differ from the last decision; false: only those in given.changed
    bool all;  // look at every verdict
    int64_t wake_at_ns = 0;

    const UnitState& unit(uint32_t place) const { return given.units[device.eligible[place]]; }
    UnitHistory& history(uint32_t place) const { return device.units[device.eligible[place]]; }
    // Returns whether other units may be suspended for the unit's sake.
    bool claim_matters(uint32_t place) const {
        return device.preemptible_count > (device.preemptible[place] != 0 ? 1U : 0U);
    }
    void wake(int64_t at_ns) { wake_at_ns = base::earlier(wake_at_ns, at_ns); }
};

}  // namespace xsched::sched
