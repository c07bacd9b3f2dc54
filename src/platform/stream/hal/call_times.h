// Measures how long the calls take that take this process's work off a device and put it back (level 3). That depends
// on the processors, the bus and the kernel driver. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sample.h"

namespace xsched::stream {

class CallTimes {
public:
    static constexpr unsigned kEnough =
        8;  // judgement: calls of each kind; the platform's declared time holds until then

    void add_off(int64_t ns) { add(off_us_, ns); }
    void add_on(int64_t ns) { add(on_us_, ns); }
    // Returns the median of both calls together in microseconds; 0: not known yet.
    uint32_t both_us() const {
        const bool known = off_us_.count() >= kEnough && on_us_.count() >= kEnough;
        return known ? off_us_.quantile(1, 2) + on_us_.quantile(1, 2) : 0;
    }

private:
    using Calls = base::Sample<uint32_t, 2 * kEnough>;
    static void add(Calls& calls, int64_t ns) {
        calls.add(static_cast<uint32_t>(std::clamp<int64_t>(ns / 1000, 1, 1 << 20)));
    }
    Calls off_us_, on_us_;
};

}  // namespace xsched::stream
