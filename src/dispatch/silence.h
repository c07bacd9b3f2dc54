// Whether a queue of whose work nothing more will be heard still counts as ready.
//
// No thread of ours asks a vendor's driver (docs/ARCHITECTURE.md). So the end of a queue's last commands is known when
// its program waits for them or launches again, or if a report follows them. A program that does none of these is
// believed for several times as long as the commands may take. That is less than a program is believed that reports
// nothing although it should (sched/claim.h). Pure; one object per queue; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "dispatch/slot_reader.h"

namespace xsched::dispatch {

class Silence {
public:
    static constexpr int64_t kLeastNs = 2 * base::kMillisecond;
    static constexpr int64_t kLengthsUnknownNs = 100 * base::kMillisecond;
    static constexpr int64_t kTimes = 4;

    // `runs`: somebody watches the queue, and it may run. True: it counts as idle.
    bool observe(const QueueNumbers& numbers, bool runs, int64_t now_ns) {
        const bool same = numbers.silent && numbers.submitted == submitted_ && numbers.completed == completed_;
        submitted_ = numbers.submitted;
        completed_ = numbers.completed;
        if (!same || (!runs && !presumed_)) {
            since_ns_ = now_ns;
            presumed_ = false;
        }
        silent_ = numbers.silent;
        presumed_ = presumed_ || (silent_ && now_ns - since_ns_ >= patience_ns(numbers));
        return presumed_;
    }
    // It will be presumed idle some time: worth a look now and then.
    bool pending() const { return silent_ && !presumed_; }

private:
    static int64_t patience_ns(const QueueNumbers& numbers) {
        if (numbers.command_ns == 0) return kLengthsUnknownNs;
        const auto commands = static_cast<int64_t>(std::min<uint64_t>(numbers.submitted - numbers.completed, 1024));
        return std::max(kLeastNs, kTimes * commands * std::min(numbers.command_ns, base::kSecond));
    }

    uint64_t submitted_ = 0;
    uint64_t completed_ = 0;
    int64_t since_ns_ = 0;
    bool silent_ = false;
    bool presumed_ = false;
};

}  // namespace xsched::dispatch
