// Bursts that follow another one at once: requests that queued while that one was served. In the short pause between
// the two the hardware would turn to a victim and back, for two switches. If a program recently had such bursts, its
// process keeps the device for a moment behind each burst (queue/alive/keep_alive.h). This is paid for as a precaution,
// and refunded if another burst follows. For units that otherwise use the device in one stretch. Pure; one object per
// unit; not thread-safe.
#pragma once

#include <cstdint>

#include "sched/facts/times.h"
#include "sched/pattern/budget.h"

namespace xsched::sched {

class QueuedBursts {
public:
    // How long to keep the device: a pause "at once", the waking of a thread, and the launch (decision 016). Launching
    // a graph of two hundred kernels takes longer than 0.1 ms.
    static constexpr int64_t keep_ns() { return 2 * kWakeNs + kLookNs; }
    static constexpr unsigned kLately = 256;  // bursts

    // Notes that a burst began `pause_ns` after the last one's end. `is_part`: the last one was only a part of a burst.
    void begins(int64_t pause_ns, bool is_part, bool may_keep, Account& account, int64_t now_ns) {
        // A pause of at most kWakeNs means that the next request was queued already: the program only had to take it.
        const bool at_once = pause_ns <= kWakeNs;
        since_ = at_once && !is_part ? 0 : since_ + (since_ < kLately ? 1 : 0);
        if (keeps_ && at_once) account.give_back(keep_ns());
        keeps_ = may_keep && lately() && account.take(keep_ns(), now_ns);
    }
    bool lately() const { return since_ < kLately; }
    // Returns how long to keep the device behind the burst under way, in us.
    uint32_t keep_us() const { return keeps_ ? static_cast<uint32_t>(keep_ns() / 1000) : 0; }

private:
    unsigned since_ = kLately;  // bursts since one last followed at once
    bool keeps_ = false;
};

}  // namespace xsched::sched
