#include "server/thread/real_time.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "server/thread/latency.h"

namespace xsched::server {

int64_t RealTimeBudget::rest_ns(int64_t slept_ns, int64_t worked_ns, uint32_t threads) {
    const int64_t rest_for_work = 2 * static_cast<int64_t>(std::max(threads, 1U)) - 1;
    owed_ns_ = std::max<int64_t>(0, owed_ns_ - slept_ns) + worked_ns * rest_for_work;
    owed_ns_ = std::min(owed_ns_, kMostEverOwedNs);
    if (owed_ns_ <= kMostOwedNs) return 0;
    // A turn that took longer is followed by a longer rest: otherwise the thread would work more than half of the time.
    const int64_t longest_ns = std::max(kLongestRestNs, std::min(worked_ns * rest_for_work, kMostEverOwedNs));
    return std::clamp(owed_ns_ - kMostOwedNs, kShortestRestNs, longest_ns);
}

RealTime::RealTime(int64_t now_ns, bool rests) : ended_ns_(now_ns), granted_(ask_for_real_time()), rests_(rests) {}

void RealTime::turn_ends(int64_t now_ns, uint32_t threads) {
    if (!granted_ || !rests_) return;
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    const int64_t used_ns = used.tv_sec * 1'000'000'000 + used.tv_nsec;
    const int64_t worked_ns = used_ns - std::exchange(used_ns_, used_ns);
    const int64_t passed_ns = now_ns - std::exchange(ended_ns_, now_ns);
    const int64_t rest_ns = budget_.rest_ns(std::max<int64_t>(0, passed_ns - worked_ns), worked_ns, threads);
    if (rest_ns == 0) return;
    const timespec rest{0, rest_ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
}

}  // namespace xsched::server
