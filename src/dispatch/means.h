// By which means a unit is kept off its device beyond its closed gate, which holds what has not started but waits for
// what runs:
//  - gate: nothing more. For commands that end soon;
//  - timeslice: a short one in the hardware, set long before. It preempts within one context switch and costs no call,
//    but each pause of the urgent unit lets the victim in and costs two switches: for urgent units that use the device
//    in one stretch;
//  - interrupt: what runs is taken off the device when it is suspended (level 3). Absolute, but the call takes most of a
//    millisecond: for long commands, and urgent units that pause often. A short timeslice helps here too: the hardware
//    has mostly switched before the call is done, and the call need only keep the victim from coming back. Until it has
//    the urgent unit lingers: it keeps the device through its pauses. Where it can, this is worth it for commands of a
//    quarter of a millisecond already.
// No short timeslices for programs of one priority: they would take turns at that rate (a switch takes 175 us).
// Pure; one caller at a time.
#pragma once

#include <cstdint>

#include "ipc/layout.h"
#include "sched/unit.h"

namespace xsched::dispatch {

// Numbers and sentences: means.def.
enum class Means : uint32_t {
#define XSCHED_MEANS(name, number, sentence) name = number,
#include "dispatch/means.def"
#undef XSCHED_MEANS
};
const char* means_sentence(Means means);

// How a unit has used the device lately: whether its next burst usually follows soon, and how its pauses begin.
class Pauses {
public:
    static constexpr int64_t kShortNs = 1'000'000;  // a pause in which a victim would be let in by the hardware
    static constexpr unsigned kRemembered = 32;
    static constexpr unsigned kEnough = 2;

    void observe(const sched::UnitState& unit);
    // Uses the device in one stretch, for all we know.
    bool streams() const;
    // Its short pauses begin with a wait, in which it can linger, and not with nothing to do for the device.
    bool wait() const { return wait_; }

private:
    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest
    uint32_t waited_ = 0;      // likewise: the short ones that began with a wait
    uint32_t waits_ = 0;       // as last seen
    bool wait_ = false;
    unsigned count_ = 0;
    int64_t seen_ready_ns_ = 0;
};

struct Victim {
    int64_t command_ns = 0;  // the longest mean of its queues; 0: not known
    sched::Costs costs;
    bool has_rival = false;  // somebody of another process may preempt it,
    bool rival_streams = false;
    bool rival_lingers = false;  // it keeps the device through its short pauses (ipc::Header::lingers)
    bool has_peer = false;   // another process of the same priority shares the device with it
    bool was_long = false;   // what was chosen last says that its commands are
    bool was_brief = false;  // likewise
    bool gate_tried_better = false;  // the rival's bursts were shorter so (trials.h)
    bool announced = false;  // it is suspended before the rival needs the device
};
// From a queue's suspension until nothing of it runs on the device, as far as its level and the mean length of its
// commands (0: not known) tell.
int64_t off_ns(uint32_t level, int64_t command_ns, const sched::Costs& costs);
// Whether only trying tells its gate from a short timeslice, which preempts within a switch, but lets it back in for
// what lies before its gate in every gap of the urgent unit, for two switches each; most of them are too short to be
// seen.
bool gate_may_do(const Victim& victim);
// What to do before it is ever suspended, and when it is.
Means choose_means(const Victim& victim);

// What becomes of what runs when it is suspended so, with or without a short timeslice in force.
ipc::Interrupt choose_interrupt(const Victim& victim, Means means, bool short_timeslice);

// Whether a short timeslice goes with it.
bool shortens_timeslice(const Victim& victim, Means usual);

// Timeslices by rank among the priorities on a device: 0, the most urgent, keeps the driver's own (0); the last one
// gets a microsecond, those between lie between.
uint32_t timeslice_us_of(unsigned rank, unsigned ranks);

}  // namespace xsched::dispatch
