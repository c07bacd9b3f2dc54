// Gates that were not enough: behind one, the device went on for longer than the lengths of commands say. They are not
// trusted again for a second, and for longer if that happens again soon: a training step has such a phase each time.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::sched {

class Distrust {
public:
    static constexpr int64_t kFirstNs = 1'000'000'000;
    static constexpr int64_t kLongestNs = 64'000'000'000;
    static constexpr int64_t kForgetTimes = 4;  // without another time, for so many times as long as the last one

    void not_enough(int64_t now_ns) {
        if (holds(now_ns)) return;
        const bool again = lasts_ns_ != 0 && now_ns - until_ns_ < kForgetTimes * lasts_ns_;
        lasts_ns_ = again ? std::min(2 * lasts_ns_, kLongestNs) : kFirstNs;
        until_ns_ = now_ns + lasts_ns_;
    }
    bool holds(int64_t now_ns) const { return now_ns < until_ns_; }

private:
    int64_t until_ns_ = 0;
    int64_t lasts_ns_ = 0;  // the last one
};

}  // namespace xsched::sched
