// The facts for the choice of a preemption mechanism: the queues of one process on one device, which are taken off it
// together, and the more urgent units of other processes there (its rivals). Plain data.
#pragma once

#include <cstdint>

#include "sched/facts/costs.h"
#include "sched/facts/mechanism.h"
#include "xsched/types.h"

namespace xsched::sched {

struct Victim {
    uint32_t level = kPreemptLevelBlock;  // preempt level that all of its queues have
    int64_t command_ns = 0;  // mean command length of its slowest queue; 0: unknown
    Costs costs;
    bool has_rival = false;
    bool rival_streams = false;  // every rival uses the device in one stretch, without short pauses (Pauses::streams)
    bool rival_is_brief = false;  // every rival's bursts end before a call could take a victim off
    bool rival_keeps_alive = false;  // every rival keeps the device through its short pauses by a keep-alive
    bool rival_holds = false;  // every rival's bursts are foreseen, and it holds the device through them
    bool rival_end_foreseen = false;  // every rival has long bursts, and holds the device until their foreseen end
    bool rival_is_unsure = false;  // too little is known of some rival to choose the best mechanism
    bool rival_outlasts = false;  // some rival's bursts are longer than its timeslice in the hardware
    bool has_peer = false;  // another process of the same priority shares the device with it
    bool several_contexts = false;  // its own queues belong to several contexts, which take turns on the device
    // Returns whether short timeslices would make it change places with its peers all the time, for a switch each.
    bool takes_turns() const { return has_peer || several_contexts; }
    // It mainly copies while its peers take turns, or it only copies and some rival is unsure. Copies run on their own
    // engines, so no burst waits for them; a burst that copies would wait for the call (docs/decisions/024).
    bool copies = false;
    bool announced = false;  // it is suspended before a rival needs the device
    Mechanism last = Mechanism::kNone;  // the mechanism chosen last: each change costs the victim a call
};

}  // namespace xsched::sched
