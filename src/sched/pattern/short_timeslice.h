// Whether a process gets on in its short timeslice. Beside another process with one as short, which no scheduler of
// ours knows of (a static timeslice, the server of another user), the device may change from one to the other without
// end: neither completes anything. So a process that has work, may run and completes nothing has the driver's own
// timeslice for a second, and for longer if that happens again. The runs between two suspensions add up: in a crowd it
// is suspended each few milliseconds.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/doubling.h"

namespace xsched::sched {

class ShortTimeslice {
public:
    // It runs without a command that completes, so long or so many commands' time. Clients are read once in 0.1 s at
    // least.
    static constexpr int64_t kStallNs = 300'000'000;  // decision 014
    static constexpr int64_t kStallCommands = 8;
    static constexpr int64_t kPauseNs = 1'000'000'000;  // decision 014
    static constexpr int64_t kLongestPauseNs = 512'000'000'000;  // judgement
    static constexpr int64_t kForgetPauses = 10;  // without another stall, for so many times the last one

    // Call whenever one of these may have changed, and when due_ns() has come. `runs_in_it`: with work, and not
    // suspended.
    void observe(bool runs_in_it, int64_t progress_ns, int64_t command_ns, int64_t now_ns) {
        if (progress_ns > progress_ns_) {
            progress_ns_ = progress_ns;
            stalled_ns_ = 0;
            if (since_ns_ != 0) since_ns_ = std::clamp(progress_ns, since_ns_, now_ns);
        }
        if (since_ns_ != 0) stalled_ns_ += now_ns - since_ns_;
        since_ns_ = runs_in_it && usable(now_ns) ? now_ns : 0;
        limit_ns_ = std::max(kStallNs, kStallCommands * command_ns);
        if (since_ns_ == 0 || stalled_ns_ < limit_ns_) return;
        if (now_ns - paused_until_ns_ >= kForgetPauses * pause_.last()) pause_.reset();
        paused_until_ns_ = now_ns + pause_.next();
        since_ns_ = stalled_ns_ = 0;
    }
    bool usable(int64_t now_ns) const { return now_ns >= paused_until_ns_; }
    // When observe may find a stall with nothing else changed; 0: never.
    int64_t due_ns() const { return since_ns_ != 0 ? since_ns_ + limit_ns_ - stalled_ns_ : 0; }

private:
    int64_t since_ns_ = 0;  // it runs in it, as of then; 0: it does not
    int64_t stalled_ns_ = 0;  // and did until then, since something of it last completed
    int64_t progress_ns_ = 0;
    int64_t limit_ns_ = kStallNs;
    base::Doubling<int64_t, kPauseNs, kLongestPauseNs> pause_;
    int64_t paused_until_ns_ = 0;
};

}  // namespace xsched::sched
