// For how long something is not trusted after failures: a second, and twice as long with each failure that comes soon
// after the last period. Pure; not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "base/doubling.h"
#include "sched/facts/times.h"

namespace xsched::sched {

class BackOff {
public:
    static constexpr int64_t kLongestNs = 64'000'000'000;  // decision 017
    // Without a new failure for this many times the last period, the doubling starts over.
    static constexpr int64_t kForgetTimes = 4;

    void failed(int64_t now_ns) {
        if (now_ns - until_ns_ >= kForgetTimes * lasts_.last()) lasts_.reset();
        until_ns_ = now_ns + lasts_.next();
    }
    bool lasts(int64_t now_ns) const { return now_ns < until_ns_; }

private:
    base::Doubling<int64_t, kLatelyNs, kLongestNs> lasts_;
    int64_t until_ns_ = 0;  // end of the last period
};

}  // namespace xsched::sched
