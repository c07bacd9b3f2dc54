#include "sched/pattern/long_timeslice.h"

#include <algorithm>

#include "sched/facts/mechanism.h"
#include "sched/pattern/burst_length.h"

namespace xsched::sched {
namespace {

// Returns how much longer a burst takes beside a victim than its time on the device, if no timeslice ends within it: as
// long as the call that takes the victim off, which is half of both calls (decision 015).
int64_t beside_ns(const Costs& costs) { return costs.interrupt_ns() / 2; }

// Returns the longest allowed timeslice, in microseconds. It is at most a starved unit's turn: during that turn the
// urgent process is on the device too, and the starved unit must get a part of the time.
int64_t most_us(const Settings& settings) {
    const int64_t us = settings.urgent_timeslice_us;
    return settings.starvation_limit_ns > 0 ? std::min(us, settings.starvation_turn_ns / 1000) : us;
}

}  // namespace

// A timeslice for queued bursts has room for a burst that is much longer than usual: two usual ones in a row.
uint32_t long_timeslice_us(const Settings& settings, const Costs& costs, int64_t stretch_ns, bool queued,
                           uint32_t last_us) {
    int64_t wanted_ns = stretch_ns;
    if (queued)
        wanted_ns =
            std::max(wanted_ns, std::min(BurstLength::kTimes * stretch_ns, longest_in_one_ns(settings, costs, true)));
    uint32_t us = kDriversTimesliceUs;
    while (us <= most_us(settings) && us * int64_t{1000} < wanted_ns + beside_ns(costs)) us *= 2;
    if (us <= last_us && us >= last_us / 4) return last_us;
    return us > kDriversTimesliceUs && us <= most_us(settings) ? us : 0;
}

// Returns the longest burst that fits into one timeslice. The last part of a long timeslice is left for a burst that is
// longer than usual.
int64_t longest_in_one_ns(const Settings& settings, const Costs& costs, bool leads) {
    const int64_t us = most_us(settings);
    if (!leads || us < 2 * int64_t{kDriversTimesliceUs}) return kDriversTimesliceUs * int64_t{1000} + beside_ns(costs);
    return us * 1000 - beside_ns(costs);
}

}  // namespace xsched::sched
