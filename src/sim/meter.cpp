#include "sim/meter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "xsched/types.h"

namespace xsched::sim {

void MeterError::join(const MeterError& other) {
    true_ns += other.true_ns;
    said_ns += other.said_ns;
    samples += other.samples;
    relative += other.relative;
    most = std::max(most, other.most);
}

void Meter::completed(uint32_t count, bool followed, int64_t now_ns) {
    if (!followed) return seen_.completed_unfollowed(now_ns);
    seen_.completed(count, now_ns);
    if (command_ns_ == 0 || seen_.command_ns() == 0) return;
    const double off = std::abs(static_cast<double>(seen_.command_ns()) / static_cast<double>(command_ns_) - 1);
    ++error_.samples;
    error_.relative += off;
    error_.most = std::max(error_.most, off);
}

// Follows a stop. A change between levels 2 and 3 ends one stop and begins another, as in HardwareStop.
void Meter::follow(const Stop& stop, int64_t now_ns) {
    if (stop.level == level_) return;
    if (level_ != 0) start(stop, now_ns);
    level_ = stop.level;
    if (level_ == 0) return;
    stopped_ns_ = now_ns;
    if (!stop.runs) seen_.flight_began(now_ns);
    if (level_ >= kPreemptLevelInterrupt)
        seen_.stopped(now_ns, 0);
    else
        seen_.stopped(std::min(stop.directed_ns, now_ns), stop.run_on_ns);
}

// Notes that work runs again. A gate was opened before the agent learned of it; a call has just returned.
void Meter::start(const Stop& stop, int64_t now_ns) {
    const bool gate = level_ < kPreemptLevelInterrupt && stop.directed_ns > stopped_ns_;
    seen_.started(gate ? std::min(stop.directed_ns, now_ns) : now_ns, stop.switch_ns);
}

void Meter::ran(int64_t length_ns, bool followed) {
    error_.true_ns += length_ns;
    if (followed) true_ns_ += length_ns;
    if (command_ns_ == 0)
        command_ns_ = length_ns;
    else if (length_ns > 4 * command_ns_)
        command_ns_ += (length_ns - command_ns_) / 16;
    else
        command_ns_ += (length_ns - command_ns_) / 4;
    command_ns_ = std::max<int64_t>(command_ns_, 1);
}

MeterError Meter::error() const {
    MeterError error = error_;
    error.said_ns = seen_.busy_ns();
    return error;
}

}  // namespace xsched::sim
