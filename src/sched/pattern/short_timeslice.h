// Tells whether a process makes progress in its short timeslice. Another process with a timeslice as short may share
// the device unknown to this scheduler (a static timeslice, another user's server). Then the device may switch between
// the two without end, and neither completes anything. So a process that has work, may run and completes nothing gets
// the driver's own timeslice for a second, and longer if that happens again. Runs between suspensions add up, since in
// a crowd a process is suspended every few milliseconds.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"
#include "sched/pattern/back_off.h"

namespace xsched::sched {

class ShortTimeslice {
public:
    // A process may run without a completed command for at most kStallNs, or the usual time of kSampleCommands commands
    // if that is longer. Clients are read at least every 0.1 s.
    static constexpr int64_t kStallNs = 300'000'000;  // decision 014

    // Takes the present state. `runs_in_it`: it has work, is not suspended, and has the short timeslice. Call at each
    // change, and when due_ns() has come.
    void observe(bool runs_in_it, int64_t progress_ns, int64_t command_ns, int64_t now_ns) {
        if (progress_ns > progress_ns_) {
            progress_ns_ = progress_ns;
            stalled_ns_ = 0;
            if (since_ns_ != 0) since_ns_ = std::clamp(progress_ns, since_ns_, now_ns);
        }
        if (since_ns_ != 0) stalled_ns_ += now_ns - since_ns_;
        since_ns_ = runs_in_it && usable(now_ns) ? now_ns : 0;
        limit_ns_ = std::max(kStallNs, kSampleCommands * command_ns);
        if (since_ns_ == 0 || stalled_ns_ < limit_ns_) return;
        pause_.failed(now_ns);
        since_ns_ = stalled_ns_ = 0;
    }
    bool usable(int64_t now_ns) const { return !pause_.lasts(now_ns); }
    // Returns when observe may find a stall although nothing else changes; 0: never.
    int64_t due_ns() const { return since_ns_ != 0 ? since_ns_ + limit_ns_ - stalled_ns_ : 0; }

private:
    int64_t since_ns_ = 0;  // since when it runs in the short timeslice; 0: it does not
    int64_t stalled_ns_ = 0;  // how long it ran so before that, since a command last completed
    int64_t progress_ns_ = 0;
    int64_t limit_ns_ = kStallNs;
    BackOff pause_;
};

}  // namespace xsched::sched
