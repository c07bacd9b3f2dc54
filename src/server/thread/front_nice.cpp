#include "server/thread/front_nice.h"

#include <ctime>

#include "base/log.h"
#include "server/thread/latency.h"

namespace xsched::server {

bool BusyWatch::busy(int64_t now_ns, int64_t used_ns) {
    if (5 * (used_ns - used_ns_) > now_ns - began_ns_) until_ns_ = now_ns + kRemembersNs;
    began_ns_ = now_ns;
    used_ns_ = used_ns;
    return now_ns < until_ns_;
}

FrontNice::FrontNice(int64_t now_ns) : watch_(now_ns) { ask_for_low_latency(kFrontNice); }

void FrontNice::choose(int64_t now_ns) {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    const bool busy = watch_.busy(now_ns, used.tv_sec * 1'000'000'000 + used.tv_nsec);
    if (busy == busy_) return;
    busy_ = busy;
    ask_for_low_latency(busy ? kBusyFrontNice : kFrontNice);
    XLOG_DEBG("the front thread is %s", busy ? "kept busy, and gives way to other threads" : "quiet again");
}

}  // namespace xsched::server
