#include "sched/pattern/starvation.h"

#include <algorithm>

namespace xsched::sched {

namespace {

// Commands longer than 1/kBriefPart of the limit may run without completing anything. Beside others, which may have had
// the device all the time, runs are added up to this part of the limit before they count.
constexpr int64_t kBriefPart = 10;

}  // namespace

// Returns whether the present run was of use. Beside others of its priority the driver may have given it nothing.
bool Starvation::was_of_use(const Work& work, int64_t limit_ns, int64_t now_ns) const {
    const int64_t ran_ns = now_ns - running_since_ns_;
    if (ran_ns < kLeastUseNs + work.return_ns) return false;
    if (work.progress_ns >= running_since_ns_) return true;
    const bool is_brief = work.command_ns < limit_ns / kBriefPart;  // also if the length is unknown, as none has
                                                                    // completed
    return !is_brief && (!work.beside || ran_ns_ + ran_ns >= limit_ns / kBriefPart);
}

void Starvation::waits_no_more() {
    waiting_since_ns_ = -1;
    ran_ns_ = 0;
}

void Starvation::runs(const Work& work, const StarvationLimits& limits, int64_t now_ns) {
    if (!running()) running_since_ns_ = now_ns;
    if (!work.ready || was_of_use(work, limits.limit_ns, now_ns)) waits_no_more();
    if (now_ns >= turn_until_ns_) turn_until_ns_ = 0;
}

bool Starvation::kept_off(const Work& work, const StarvationLimits& limits, int64_t now_ns) {
    if (now_ns < turn_until_ns_) return true;
    turn_until_ns_ = 0;

    if (running()) {
        const bool counts = was_of_use(work, limits.limit_ns, now_ns);
        ran_ns_ += now_ns - running_since_ns_;
        if (counts) waits_no_more();
        running_since_ns_ = -1;
        suspended_since_ns_ = now_ns;
    }
    if (!work.ready) {
        waits_no_more();
        return false;
    }
    if (waiting_since_ns_ < 0) {
        waiting_since_ns_ = std::min(now_ns, std::max(work.ready_since_ns, suspended_since_ns_));
    }
    if (limits.limit_ns <= 0 || now_ns - waiting_since_ns_ < limits.limit_ns) return false;

    turn_until_ns_ = now_ns + std::max({limits.turn_ns, std::min(work.command_ns, limits.limit_ns), kLeastUseNs});
    waits_no_more();
    running_since_ns_ = now_ns;
    return true;
}

int64_t Starvation::wake_at_ns(const StarvationLimits& limits) const {
    if (turn_until_ns_ != 0) return turn_until_ns_;
    if (limits.limit_ns <= 0 || waiting_since_ns_ < 0) return 0;
    return waiting_since_ns_ + limits.limit_ns;
}

}  // namespace xsched::sched
