// The starvation limit for one unit. A unit that has work and is kept off for longer than the limit gets a turn beside
// the units that it made room for: running both is gentler on the urgent one than stopping it.
//
// The clock starts when the unit has work and is suspended. Only a run long enough to be of use stops it: a change of
// reason, of whom it makes room for, or a resume too short for the victim's process to wake up does not.
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <cstdint>

namespace xsched::sched {

struct StarvationLimits {
    int64_t limit_ns = 0;  // 0: none
    int64_t turn_ns = 0;   // least length of a turn
};

class Starvation {
public:
    // A unit starves soon after 1/kSoonPart of the limit: then it is favoured, and before that all equals have turns
    // (decision 028).
    static constexpr int64_t kSoonPart = 2;
    static constexpr int64_t soon_ns(int64_t limit_ns) { return limit_ns / kSoonPart; }

    explicit Starvation(int64_t now_ns) : running_since_ns_(now_ns) {}

    // Starts over, when the unit is suspended for another reason: it neither waits nor has a turn.
    void reset(int64_t now_ns) { *this = Starvation(now_ns); }

    struct Work {
        bool ready = false;
        int64_t ready_since_ns = 0;
        int64_t command_ns = 0;  // length of its commands: a turn lasts at least one of them, but for its sake no
                                 // longer than the limit
        int64_t progress_ns = 0;  // when one of its commands was last seen to complete
        bool beside = false;  // other units may run at the same time
        int64_t return_ns = 0;  // how long the hardware takes to let it come back: added to the least length of a run
    };
    // Notes that the policy lets the unit run.
    void runs(const Work& work, const StarvationLimits& limits, int64_t now_ns);
    // Notes that the policy keeps the unit off. Returns whether it runs nevertheless, because it has a turn.
    bool kept_off(const Work& work, const StarvationLimits& limits, int64_t now_ns);

    // Returns when kept_off may answer differently although nothing else changes; 0: never.
    int64_t wake_at_ns(const StarvationLimits& limits) const;

    // Returns how long the unit has had work without useful progress; 0 if it is not waiting.
    int64_t waited_ns(int64_t now_ns) const { return waiting_since_ns_ < 0 ? 0 : now_ns - waiting_since_ns_; }

    // Returns the end of the turn that kept_off has just granted.
    int64_t turn_until_ns() const { return turn_until_ns_; }

private:
    bool running() const { return running_since_ns_ >= 0; }
    void waits_no_more();
    bool was_of_use(const Work& work, int64_t limit_ns, int64_t now_ns) const;

    int64_t running_since_ns_;  // since when it runs; -1: it is suspended
    int64_t suspended_since_ns_ = 0;  // since when it is suspended; meaningless while it runs
    int64_t waiting_since_ns_ = -1;  // since when it waits; -1: it does not wait
    int64_t ran_ns_ = 0;  // how long it has run since then, in runs that were of no use
    int64_t turn_until_ns_ = 0;  // 0: no turn
};

}  // namespace xsched::sched
