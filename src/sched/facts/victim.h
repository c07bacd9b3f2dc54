// The facts for the choice of how a victim is kept off: the queues of one process on one device, which are taken off it
// together, and the more urgent units of other processes there (its rivals). Plain data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/costs.h"
#include "sched/facts/mechanism.h"
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

struct Victim {
    uint32_t level = kPreemptLevelBlock;  // preempt level that all of its queues have
    int64_t command_ns = 0;  // mean command length of its slowest queue; 0: unknown
    Costs costs;
    bool has_rival = false;
    Returns returns;
    bool rival_holds = false;  // every rival's bursts are foreseen, and it holds the device through them
    bool rival_end_foreseen = false;  // every rival has long bursts, and holds the device until their foreseen end
    bool rival_is_unsure = false;  // too little is known of some rival to choose the best way
    bool has_peer = false;  // another process of the same priority shares the device with it
    bool several_contexts = false;  // its own queues belong to several contexts, which take turns on the device
    // Returns whether short timeslices would make it change places with its peers all the time, for a switch each.
    bool takes_turns() const { return has_peer || several_contexts; }
    // True if the victim mainly copies while its peers take turns, or if it only copies and some rival is unsure.
    // Copies run on their own engines, so no burst waits for them; a burst that copies would wait for the call
    // (docs/decisions/024).
    bool copies = false;
    bool announced = false;  // it is suspended before a rival needs the device
    bool in_short_timeslice = false;  // it has a short timeslice in the hardware, whatever is chosen
    bool timeslice_works = true;  // a short timeslice takes it off the device in the next burst
    Mechanism last = Mechanism::kNone;  // the mechanism chosen last: each change costs the victim a call
};

}  // namespace xsched::sched
