// The processor time that a call of the vendor's takes on its thread.
#pragma once

#include <algorithm>
#include <ctime>

namespace busy {

inline double processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Returns the nanoseconds of one call, the least of several repeats. `settle` waits, outside the measured time, until
// the device has done what was given to it.
template <typename Call, typename Settle>
double cost_of(Call call, Settle settle) {
    constexpr int kCalls = 10'000;
    constexpr int kRepeats = 5;
    double least = 1e9;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const double began_ns = processor_ns();
        for (int i = 0; i < kCalls; ++i) call();
        least = std::min(least, (processor_ns() - began_ns) / kCalls);
        settle();
    }
    return least;
}

}  // namespace busy
