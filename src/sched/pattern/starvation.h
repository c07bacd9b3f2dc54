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
    int64_t turn_ns = 0;   // of a turn, at least
};

class Starvation {
public:
    static constexpr int64_t kLeastRunNs = 200'000;  // a shorter run does not count as one (judgement)

    explicit Starvation(int64_t now_ns) : running_since_ns_(now_ns) {}

    // Suspended for another reason: neither waits nor has a turn.
    void reset(int64_t now_ns) { *this = Starvation(now_ns); }

    struct Work {
        bool ready = false;
        int64_t ready_since_ns = 0;
        int64_t command_ns = 0;  // a turn is long enough for one, but no longer than the limit for its sake
        int64_t progress_ns = 0;  // when something of it was last seen to complete
        bool beside = false;  // others may run at the same time
        int64_t return_ns = 0;   // until the hardware has let it come back: so much longer has a run to be
    };
    // The policy lets the unit run.
    void runs(const Work& work, const StarvationLimits& limits, int64_t now_ns);
    // The policy keeps the unit off. True: it runs nevertheless, it has a turn.
    bool kept_off(const Work& work, const StarvationLimits& limits, int64_t now_ns);

    // When kept_off may answer otherwise with nothing else changed; 0: never.
    int64_t wake_at_ns(const StarvationLimits& limits) const;

    // For so long it has had work and nothing of use; 0: it does not wait.
    int64_t waited_ns(int64_t now_ns) const { return waiting_since_ns_ < 0 ? 0 : now_ns - waiting_since_ns_; }

    // Of the turn that kept_off has just granted.
    int64_t turn_until_ns() const { return turn_until_ns_; }

private:
    bool running() const { return running_since_ns_ >= 0; }
    void waits_no_more();
    bool was_of_use(const Work& work, int64_t limit_ns, int64_t now_ns) const;

    int64_t running_since_ns_;       // -1: it is suspended
    int64_t suspended_since_ns_ = 0;    // meaningful while it is suspended
    int64_t waiting_since_ns_ = -1;  // -1: it does not wait
    int64_t ran_ns_ = 0;             // since then, in runs that were of no use
    int64_t turn_until_ns_ = 0;      // 0: no turn
};

}  // namespace xsched::sched
