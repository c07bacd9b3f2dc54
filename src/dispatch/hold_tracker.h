// The holds of one queue, cut into parts: when the cause or the policy changes, and at each regular look, so that a
// reader who adds them up per second learns of a hold that lasts. Pure; one object per queue; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "dispatch/hold_log.h"
#include "dispatch/look_times.h"

namespace xsched::dispatch {

class HoldTracker {
public:
    // Notes that the queue is held for `cause` (since `since_ns`, if it was not held before), or is not held. If a part
    // ends by that, calls done(part), whose client and slot are empty. Returns whether a hold, or another mechanism,
    // begins. If the queue is held under another policy than before, its hold ends at `policy_since_ns`, when that one
    // came into force, and another one begins there.
    template <typename Done>
    bool follow(bool held, int64_t since_ns, const HoldCause& cause, int64_t now_ns, int64_t policy_since_ns,
                Done done) {
        if (held_ && held && began_ns_ < policy_since_ns) {
            end_part(true, policy_since_ns, done);
            begin(policy_since_ns);
            cause_ = {.by_pid = cause.by_pid,
                      .by_client = cause.by_client,
                      .reason = cause.reason,
                      .mechanism = cause_.mechanism};
        }
        const bool was_held = held_;
        const bool other = was_held && held && !same(cause);
        // The first part under a new policy is told at once, so that a reader learns whose hold goes on.
        const bool is_first = part_ns_ == policy_since_ns && now_ns > part_ns_;
        if (was_held && (!held || other || is_first || now_ns - part_ns_ >= kLookSeldomNs))
            end_part(!held || other, now_ns, done);
        if (held && (!was_held || other)) begin(other ? now_ns : std::clamp(since_ns, over_ns_, now_ns));
        const bool anew = held && (!was_held || cause.mechanism != cause_.mechanism);
        const sched::Reason reason = was_held && held && !other ? cause_.reason : cause.reason;
        held_ = held;
        cause_ = cause;
        cause_.reason = reason;
        return anew;
    }

private:
    // Returns whether the cause is the present one. Everything for one program's sake is one hold, with the reason that
    // it began with.
    bool same(const HoldCause& cause) const {
        return cause.by_client == cause_.by_client && (cause.by_client != 0 || cause.reason == cause_.reason);
    }
    void begin(int64_t ns) { began_ns_ = part_ns_ = ns; }
    template <typename Done>
    void end_part(bool last, int64_t now_ns, Done done) {
        now_ns = std::max(now_ns, part_ns_);
        done(HoldPart{
            .end_ns = now_ns, .ns = now_ns - part_ns_, .hold_ns = now_ns - began_ns_, .cause = cause_, .last = last});
        part_ns_ = over_ns_ = now_ns;
    }

    bool held_ = false;
    int64_t began_ns_ = 0;
    int64_t part_ns_ = 0;  // when the present part began
    int64_t over_ns_ = 0;  // when the last part ended
    HoldCause cause_;
};

}  // namespace xsched::dispatch
