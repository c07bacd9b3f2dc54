#include "server/real_time.h"

#include <algorithm>
#include <ctime>

#include "server/latency.h"

namespace xsched::server {

int64_t RealTimeBudget::rest_ns(int64_t slept_ns, int64_t worked_ns) {
    owed_ns_ = std::max<int64_t>(0, owed_ns_ - slept_ns) + worked_ns;
    if (owed_ns_ <= kMostOwedNs) return 0;
    return std::clamp(owed_ns_ - kMostOwedNs, kShortestRestNs, kLongestRestNs);
}

RealTime::RealTime(int64_t now_ns) : began_ns_(now_ns), granted_(ask_for_real_time()) {}

void RealTime::turn_ends(int64_t now_ns) {
    const int64_t rest_ns = granted_ ? budget_.rest_ns(slept_ns_, now_ns - began_ns_) : 0;
    began_ns_ = now_ns;  // of the sleep, which the rest is a part of
    if (rest_ns == 0) return;
    const timespec rest{0, rest_ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
}

void RealTime::turn_begins(int64_t now_ns) {
    slept_ns_ = now_ns - began_ns_;
    began_ns_ = now_ns;
}

}  // namespace xsched::server
