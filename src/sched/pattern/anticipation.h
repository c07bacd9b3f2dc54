// For how long a device stays reserved for a unit that has just become idle. This is anticipatory scheduling (Iyer and
// Druschel, SOSP'01), which Linux had for disks as as-iosched.
//
// The threshold is a ski-rental problem. Keeping the device costs the time that it idles. Letting a victim in costs a
// command of the victim and the hardware's switches to the victim and back, if the unit returns after all. Once enough
// of the unit's think times are known, the threshold is the one that would have cost least on them. Before that it is
// the classic rule: wait for as long as being wrong costs. Think times longer than any reasonable threshold count like
// every other: nothing covers them, so they pull towards 0.
//
// Think time: from the end of one burst of a unit to the start of its next.
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "base/sample.h"
#include "sched/facts/habits.h"

namespace xsched::sched {

class Anticipation {
public:
    static constexpr unsigned kThinkTimes = 64;  // remembered
    static constexpr int64_t kUrgencyWeight = 2;  // a moment of the urgent unit's time is worth this many moments of
                                                  // the device's time

    // Takes the unit's state as seen now. Bursts may have come and gone since the last look. Then a think time is
    // counted if both its ends are known, and never twice.
    void observe(bool ready, int64_t ready_since_ns, int64_t idle_since_ns);

    // Returns how long to reserve the device, 0 to max_ns. `wrong_ns`: about how long the unit waits if a victim was
    // let in by mistake.
    int64_t length(int64_t wrong_ns, int64_t max_ns) const;

    // Returns whether too few think times are known, or a recent short one resembled none of those remembered: the unit
    // may do something else by now. Then it pays to wait longer than length() says (newcomer_length).
    bool unsure() const { return thinks_.count() < Habits::kThinkTimes || unsure_ > 0; }
    static int64_t newcomer_length(int64_t wrong_ns, int64_t max_ns);

    // begin_with counts the habits of the program's last run as if they had been seen; write stores what to keep of
    // this run.
    void begin_with(const Habits& habits);
    void write(Habits& habits) const;

    unsigned think_times() const { return thinks_.count(); }

private:
    void add(int64_t think_ns);
    bool resembles_one(int64_t think_ns) const;

    base::Sample<int64_t, kThinkTimes> thinks_;
    unsigned unsure_ = 0;  // think times to come until the last surprise is forgotten
    int64_t counted_ready_ns_ = 0;  // begin of the last burst whose think time was counted or is unknown
    int64_t idle_seen_ns_ = 0;  // since when it was idle at the last look; 0: it was not idle
};

}  // namespace xsched::sched
