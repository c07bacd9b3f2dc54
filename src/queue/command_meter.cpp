#include "queue/command_meter.h"

#include <algorithm>

namespace xsched::queue {
namespace {

// A sample far above the average is rarely typical (a kernel compiled on first use, a stall): it counts for less.
// One far below follows quickly, since such an average keeps the window too small.
int64_t follow(int64_t average, int64_t sample) {
    if (average == 0) return sample;
    if (sample > 4 * average) return average + (sample - average) / 16;
    if (sample < average / 4) return average + (sample - average) / 2;
    return average + (sample - average) / 4;
}

}  // namespace

int64_t CommandMeter::since(int64_t now_ns) const {
    return std::max<int64_t>(now_ns - std::max(flight_since_ns_, last_completed_ns_), 0);
}

void CommandMeter::completed(uint32_t count, int64_t now_ns) {
    const int64_t spent = before_ns_ + since(now_ns);
    before_ns_ = 0;
    last_completed_ns_ = now_ns;
    busy_ns_ += spent;
    if (count > 0) command_ns_ = std::max<int64_t>(follow(command_ns_, spent / count), 1);
}

}  // namespace xsched::queue
