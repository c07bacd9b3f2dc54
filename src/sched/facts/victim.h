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
    int64_t command_ns = 0;  // the longest mean length of its queues' commands; 0: not known
    Costs costs;
    bool has_rival = false;
    bool rival_streams = false;  // every rival uses the device in one stretch (ThinkTimes)
    bool rival_is_brief = false;  // every rival's bursts are over before a call could keep a victim off
    bool rival_keeps_alive = false;  // every rival keeps the device through its short pauses
    bool rival_holds = false;  // every rival's bursts are foreseen, and it holds the device through all of them
    bool rival_end_foreseen = false;  // likewise to the end of its bursts, which are long
    bool rival_is_unsure = false;  // of some rival too little is known to tell which mechanism is best
    bool rival_outlasts = false;  // some rival's bursts are longer than its timeslice in the hardware
    bool has_peer = false;  // another process of the same priority shares the device with it
    bool several_contexts = false;  // its own queues lie in several contexts, which share the device
    // In a short timeslice they would change places all the time, at the price of a switch each.
    bool takes_turns() const { return has_peer || several_contexts; }
    // It mainly copies, beside peers that take turns; or it does nothing else, and some rival is unsure. No burst waits
    // for that: one that copies itself would wait for the call (docs/decisions/024).
    bool copies = false;
    bool announced = false;  // it is suspended before a rival needs the device
    Mechanism last = Mechanism::kNone;  // as chosen last: each change of mind costs the victim a call
};

}  // namespace xsched::sched
