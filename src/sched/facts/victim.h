// The facts for the choice of how a victim is kept off: the queues of one process on one device, which are taken off it
// together, and the more urgent units of other processes there (its rivals). Plain data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/costs.h"
#include "sched/facts/mechanism.h"
#include "sched/facts/times.h"
#include "xsched/types.h"

namespace xsched::sched {

// How often the hardware would let a victim back in during a rival's burst. Times per thousand bursts. If there are
// several rivals, each number is that of the worst.
struct Returns {
    int64_t pauses = 0;  // short pauses of the rival
    int64_t unbridged = 0;  // those in which no keep-alive keeps the device, if one does so until a call would be done
    int64_t before_call = 0;  // those before a call would be done, in which no keep-alive does
    int64_t slice_ends = 0;  // ends of the rival's own timeslice

    void join(const Returns& other) {
        pauses = std::max(pauses, other.pauses);
        unbridged = std::max(unbridged, other.unbridged);
        before_call = std::max(before_call, other.before_call);
        slice_ends = std::max(slice_ends, other.slice_ends);
    }
    bool operator==(const Returns&) const = default;
};

// The device is held through bursts shorter than this: the kernel that holds it takes the place of a thread block
// meanwhile. It is held to the end of longer ones: the calls that let a victim back take as long (decision 019). A hold
// for a burst that does not come ends after this time too.
inline constexpr int64_t kBriefHoldNs = 2'000'000;

// The facts that a planner needs to keep a victim off. Without a rival or a peer some mechanisms are not possible. If
// bursts do not wait for the victim's commands, no mechanism is needed.
struct Victim {
    uint32_t level = kPreemptLevelBlock;  // preempt level that all of its queues have
    int64_t command_ns = 0;  // mean command length of its slowest queue; 0: unknown
    Costs costs;
    bool has_rival = false;
    Returns returns;
    // The least length, of all rivals, of the bursts through which (or to whose end) the rival holds the device; 0 if
    // some rival does not hold it.
    int64_t held_ns = 0;
    bool held_through() const { return held_ns > 0 && held_ns < kBriefHoldNs; }
    bool held_to_end() const { return held_ns >= kBriefHoldNs; }
    int64_t missing = 0;  // pauses of some rival to be seen yet before enough is known of it; 0: none
    bool has_outside_rival = false;  // a rival that has level 3: none that shares this victim's context
    bool has_outside_peer = false;  // an equal outside of this victim's context works beside it, without turns
    bool has_peer = false;  // another process of the same priority shares the device with it
    // How long ago its own queues had work in several contexts, which take turns on the device; INT64_MAX: never.
    int64_t contexts_ago_ns = INT64_MAX;
    bool several_contexts() const { return contexts_ago_ns < kLatelyNs; }
    // Returns whether short timeslices would make the victim change places with its peers, or its contexts with each
    // other, all the time, for a switch each.
    bool takes_turns() const { return has_peer || several_contexts(); }
    bool shares_context() const { return sched::shares_context(level, costs); }
    // True if the victim mainly copies while its peers take turns, or if it only copies and some rival is unsure.
    // Copies run on their own engines, so no burst waits for them; a burst that copies would wait for the call
    // (docs/decisions/024).
    bool copies = false;
    int64_t lead_ns = 0;  // for how long at most it is suspended before a rival needs the device
    bool announced() const { return lead_ns > 0; }
    uint32_t timeslice_us = 0;  // its timeslice in the hardware, whatever is chosen; 0: the driver's own
    // How long until a short timeslice takes it off the device; INT64_MAX: none will.
    int64_t timeslice_wait_ns = 0;
    Mechanism last = Mechanism::kNone;  // the mechanism chosen last: each change costs the victim a call
};

}  // namespace xsched::sched
