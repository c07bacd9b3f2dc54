// How long a device stays reserved for a unit that has just become idle.
//
// It is the ski-rental problem: keeping the device costs the time it idles; letting the victim in costs a whole
// victim's command, and the hardware's switches to it and back, if the unit returns after all. With enough of the unit's
// own recent gaps known, the threshold is the one that would have cost least on them; before that, the classic rule: wait
// as long as being wrong costs.
// Gaps longer than any reasonable grace count like every other: nothing covers them, so they pull towards 0.
//
// Words: gap, from the end of one burst of a unit to the start of its next. Pure; one object per unit; not
// thread-safe; no allocation.
#pragma once

#include <array>
#include <cstdint>

namespace xsched::sched {

class Grace {
public:
    static constexpr unsigned kGaps = 64;   // remembered
    static constexpr unsigned kEnough = 8;  // from which on they are believed
    static constexpr int64_t kLongestGapNs = 1'000'000'000;
    static constexpr int64_t kLeastWrongNs = 50'000;  // a wrong reopening costs at least the scheduler's two passes
    static constexpr int64_t kMostWrongNs = 1'000'000'000;
    static constexpr int64_t kUrgencyWeight = 2;  // a moment of the urgent unit is worth so many of the device

    // The unit as seen now. Bursts may have come and gone since the last look: then a gap is counted if its end and
    // beginning are both known, and none is counted twice.
    void observe(bool ready, int64_t ready_since_ns, int64_t idle_since_ns);

    // The reservation, 0..max_ns. `wrong_ns`: about what the unit waits if the victim was let in by mistake.
    int64_t length(int64_t wrong_ns, int64_t max_ns) const;

    unsigned gaps() const { return count_; }

private:
    void add(int64_t gap_ns);

    std::array<int64_t, kGaps> ring_{};
    std::array<int64_t, kGaps> sorted_{};  // the same numbers
    unsigned count_ = 0;
    unsigned next_ = 0;
    int64_t counted_ready_ns_ = 0;  // start of the last burst whose gap was counted or is unknown
    int64_t idle_seen_ns_ = 0;      // if it was idle at the last look: since when
};

}  // namespace xsched::sched
