// Whether a unit that says that it has work is believed, so that others make room for it. A unit that has the device
// and completes nothing for the limit loses its claim: its work still runs, but nobody is kept off for it. The next
// command that completes gives the claim back. Thus a program that hangs, lies or is stopped keeps nobody off for ever.
//
// A stopped process loses its claim sooner: only what the device already has can still complete.
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::sched {

class Claim {
public:
    static constexpr int64_t kStoppedLimitNs = 100'000'000;
    static constexpr int64_t kSuspectNs = 20'000'000;  // then it is worth looking whether its process is stopped

    // `has`: it has work, and may run. Call at every change of these, and when due_ns() has come.
    void observe(bool has, uint64_t completed, bool stopped, int64_t now_ns) {
        if (has_) without_ns_ += now_ns - seen_ns_;
        if (completed != completed_) without_ns_ = 0;
        completed_ = completed;
        has_ = has;
        stopped_ = stopped;
        seen_ns_ = now_ns;
    }

    bool believed(int64_t limit_ns) const { return limit_ns <= 0 || without_ns_ < limit(limit_ns); }
    bool suspect() const { return without_ns_ >= kSuspectNs; }
    // When one of these answers may change by itself; 0: never.
    int64_t due_ns(int64_t limit_ns) const {
        if (!has_ || limit_ns <= 0 || !believed(limit_ns)) return 0;
        const int64_t next_ns = suspect() ? limit(limit_ns) : std::min(kSuspectNs, limit(limit_ns));
        return seen_ns_ + next_ns - without_ns_;
    }

private:
    int64_t limit(int64_t limit_ns) const { return stopped_ ? std::min(limit_ns, kStoppedLimitNs) : limit_ns; }

    uint64_t completed_ = 0;
    int64_t without_ns_ = 0;  // it has had the device for this long since something completed
    int64_t seen_ns_ = 0;
    bool has_ = false;
    bool stopped_ = false;
};

}  // namespace xsched::sched
