// Decides whether a queue whose work will report nothing more still counts as ready.
//
// No thread of ours asks a vendor's driver (docs/ARCHITECTURE.md). So the end of a queue's last commands is known when
// its program waits for them or launches again, or if a report follows them. A program that does none of these counts
// as busy for several times as long as the commands may take. A program that reports nothing although it should counts
// as busy for longer (sched/pattern/claim.h).
//
// It may have work all the same: a call of the driver that waits for it says nothing (a copy to pageable memory). While
// the queue is suspended, no one could ever find out. So after a while it counts as ready again, and gets its turn.
//
// Pure; one object per queue; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/doubling.h"
#include "dispatch/slot_reader.h"
#include "sched/facts/times.h"

namespace xsched::dispatch {

class Silence {
public:
    static constexpr int64_t kLeastNs = sched::kLateNs;  // decision 017
    static constexpr int64_t kLengthsUnknownNs = sched::kMostGuessNs;  // decision 017
    static constexpr int64_t kTimes = 4;

    // How long a suspended queue is believed to be idle: kUnseenNs at first, and at most this long.
    static constexpr int64_t kMostBelievedIdleNs = sched::kLatelyNs;  // decision 017

    // Returns whether the queue counts as idle. `watched`: another process competes with it. `changed_ns`: since when
    // it is `suspended`, or not.
    bool observe(const QueueNumbers& numbers, bool watched, bool suspended, int64_t changed_ns, int64_t now_ns) {
        const bool same = numbers.silent && numbers.submitted == submitted_ && numbers.completed == completed_;
        submitted_ = numbers.submitted;
        completed_ = numbers.completed;
        silent_ = numbers.silent;
        if (!same) {
            presumed_ = false;
            believed_idle_.reset();
        }
        if (presumed_ && suspended && now_ns - std::max(since_ns_, changed_ns) >= believed_idle_.upcoming()) {
            presumed_ = false;
            believed_idle_.next();
        }
        const int64_t looked_ns = std::exchange(looked_ns_, now_ns);
        if (presumed_) return true;
        if (!same) ran_ns_ = 0;
        if (same && watched && !suspended) ran_ns_ += std::max<int64_t>(now_ns - std::max(looked_ns, changed_ns), 0);
        if (!same || !watched || suspended) since_ns_ = now_ns;
        since_ns_ = std::max(since_ns_, changed_ns);  // its reports may have gone unread while it was suspended
        if (!silent_ || (now_ns - since_ns_ < patience_ns(numbers) && ran_ns_ < in_turns_ns(numbers))) return false;
        since_ns_ = now_ns;
        ran_ns_ = 0;
        return presumed_ = true;
    }
    // Returns whether it will be presumed idle later, so that looks are worth while.
    bool pending() const { return silent_ && !presumed_; }

private:
    static int64_t patience_ns(const QueueNumbers& numbers) {
        return numbers.command_ns == 0 ? kLengthsUnknownNs : patience_if_known_ns(numbers);
    }
    static int64_t patience_if_known_ns(const QueueNumbers& numbers) {
        const auto commands = static_cast<int64_t>(std::min<uint64_t>(numbers.submitted - numbers.completed, 1024));
        return std::max(kLeastNs, kTimes * commands * std::min(numbers.command_ns, base::kSecond));
    }

    // Returns for how long it must have run in turns of others, all turns together. Turns may be shorter than the
    // patience: a queue on which PyTorch only records and waits took every third turn for ever (decision 017).
    int64_t in_turns_ns(const QueueNumbers& numbers) const {
        return std::max(patience_if_known_ns(numbers),
                        believed_idle_.last() == 0 ? kLengthsUnknownNs : sched::kUnseenNs);
    }

    uint64_t submitted_ = 0;
    uint64_t completed_ = 0;
    int64_t looked_ns_ = 0;
    int64_t ran_ns_ = 0;  // for how long it has run in silence
    int64_t since_ns_ = 0;  // if presumed_: since when it counts as idle; otherwise since when it could have reported
    base::Doubling<int64_t, sched::kUnseenNs, kMostBelievedIdleNs> believed_idle_;
    bool silent_ = false;
    bool presumed_ = false;
};

}  // namespace xsched::dispatch
