#include "sched/pattern/long_timeslice.h"

#include <algorithm>

#include "sched/facts/mechanism.h"

namespace xsched::sched {
namespace {

// How much longer a burst takes beside a victim than its time on the device, if no timeslice ends within it.
constexpr int64_t kSwitchAndCallNs = 250'000;  // decision 015
constexpr int64_t kInARow = 3;  // bursts in a row for which the timeslice is made long enough: rarely more queue

// Returns the longest allowed timeslice, in microseconds. It is at most a starved unit's turn: during that turn the
// urgent process is on the device too, and the starved unit must get a part of the time.
int64_t most_us(const Settings& settings) {
    const int64_t us = settings.urgent_timeslice_us;
    return settings.starvation_limit_ns > 0 ? std::min(us, settings.starvation_turn_ns / 1000) : us;
}

}  // namespace

uint32_t long_timeslice_us(const Settings& settings, int64_t stretch_ns, bool queued, uint32_t last_us) {
    int64_t wanted_ns = stretch_ns;
    if (queued) wanted_ns = std::max(wanted_ns, std::min(kInARow * stretch_ns, longest_in_one_ns(settings, true)));
    uint32_t us = kDriversTimesliceUs;
    while (us <= most_us(settings) && us * int64_t{1000} < wanted_ns + kSwitchAndCallNs) us *= 2;
    if (us <= last_us && us >= last_us / 4) return last_us;
    return us > kDriversTimesliceUs && us <= most_us(settings) ? us : 0;
}

// Returns the longest burst that fits into one timeslice. The last part of a long timeslice is left for a burst that is
// longer than usual.
int64_t longest_in_one_ns(const Settings& settings, bool leads) {
    const int64_t us = most_us(settings);
    if (!leads || us < 2 * int64_t{kDriversTimesliceUs}) return kDriversTimesliceUs * int64_t{1000} + kSwitchAndCallNs;
    return us * 1000 - kSwitchAndCallNs;
}

}  // namespace xsched::sched
