// Decides whether to believe that a unit has work, so that others make room for it. A unit that has the device and
// completes nothing for the limit loses its claim: its work still runs, but no other unit is kept off for it. The next
// completed command restores the claim. So a program that hangs, lies or is stopped cannot keep others off for ever.
//
// The limit follows what the unit has shown: at least twice its longest time from one completed command to the next. So
// kernels and graphs of minutes keep their place from the second one on, and from the first one of the next run on
// (habits.h). A unit that outlasts even that has shown nothing any more.
//
// A stopped process loses its claim sooner: only what the device already has can still complete.
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"
#include "sched/pattern/burst_length.h"

namespace xsched::sched {

class Claim {
public:
    // Safety: a unit that hangs after commands of many minutes keeps others off for at most twenty minutes.
    static constexpr int64_t kMostShownNs = 600'000'000'000;

    // Takes the present state. `has`: the unit has work and may run. Call at every change of these, and when due_ns()
    // has come.
    void observe(bool has, uint64_t completed, bool stopped, int64_t now_ns) {
        if (has_) without_ns_ += now_ns - seen_ns_;
        if (completed != completed_) {
            begin_with(std::max(shown_ns_, without_ns_));
            without_ns_ = 0;
        } else if (without_ns_ >= BurstLength::kTimes * shown_ns_) {
            shown_ns_ = 0;
        }
        completed_ = completed;
        has_ = has;
        stopped_ = stopped;
        seen_ns_ = now_ns;
    }

    // Returns the longest time from one completed command to the next that the unit has shown; 0: none yet.
    int64_t shown_ns() const { return shown_ns_; }
    void begin_with(int64_t shown_ns) { shown_ns_ = std::clamp(shown_ns, int64_t{0}, kMostShownNs); }

    bool believed(int64_t limit_ns) const { return limit_ns <= 0 || without_ns_ < limit(limit_ns); }
    // Returns whether the unit has had the device without progress for so long that its process may be stopped: worth
    // a check.
    bool suspect() const { return without_ns_ >= kUnseenNs; }
    // Returns when the answer of believed() or suspect() may change by itself; 0: never.
    int64_t due_ns(int64_t limit_ns) const {
        if (!has_ || limit_ns <= 0 || !believed(limit_ns)) return 0;
        const int64_t next_ns = suspect() ? limit(limit_ns) : std::min(kUnseenNs, limit(limit_ns));
        return seen_ns_ + next_ns - without_ns_;
    }

private:
    int64_t limit(int64_t limit_ns) const {
        return stopped_ ? std::min(limit_ns, kMostGuessNs) : std::max(limit_ns, BurstLength::kTimes * shown_ns_);
    }

    uint64_t completed_ = 0;
    int64_t without_ns_ = 0;  // how long it has had the device since a command completed
    int64_t shown_ns_ = 0;
    int64_t seen_ns_ = 0;
    bool has_ = false;
    bool stopped_ = false;
};

}  // namespace xsched::sched
