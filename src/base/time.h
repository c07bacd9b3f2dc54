// Helpers for times, where 0 means never; waiting; and times as text. Pure, except sleep_ns; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "base/clock.h"

namespace xsched::base {

// Returns the earlier of two times, where 0 means never.
constexpr int64_t earlier(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

// Sleeps for less than a second. A signal ends the sleep.
inline void sleep_ns(int64_t ns) {
    const timespec time{0, static_cast<long>(std::clamp<int64_t>(ns, 0, kSecond - 1))};
    nanosleep(&time, nullptr);
}

constexpr double milliseconds(int64_t ns) { return static_cast<double>(ns) / kMillisecond; }

}  // namespace xsched::base
