#include "server/real_time.h"

#include <ctime>

#include "base/log.h"
#include "server/latency.h"

namespace xsched::server {

bool RealTimeBudget::may(int64_t now_ns, int64_t used_ns) {
    const bool busy = 2 * (used_ns - used_ns_) > now_ns - began_ns_;
    began_ns_ = now_ns;
    used_ns_ = used_ns;
    if (busy) rests_until_ns_ = now_ns + kRestNs;
    return now_ns >= rests_until_ns_;
}

RealTime::RealTime(int64_t now_ns) : budget_(now_ns), asked_(ask_for_real_time()), has_(asked_) {}

void RealTime::keep_or_give_up(int64_t now_ns) {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    const bool may = budget_.may(now_ns, used.tv_sec * 1'000'000'000 + used.tv_nsec);
    if (may == has_) return;
    has_ = may;
    if (may)
        ask_for_real_time();
    else
        ask_for_low_latency(kSchedulingNice);
    XLOG_DEBG("a deciding thread %s", may ? "is real-time again" : "works without rest: it is an ordinary one for now");
}

}  // namespace xsched::server
