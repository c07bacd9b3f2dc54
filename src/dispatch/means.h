// By which means a unit is kept off its device beyond its closed gate, which holds what has not started but waits for
// what runs:
//  - gate: nothing more. For commands that end soon;
//  - timeslice: a short one in the hardware, set long before. It preempts within one context switch and costs no call,
//    but each pause of the urgent unit lets the victim in and costs two switches: for urgent units that use the device
//    in one stretch;
//  - interrupt: what runs is taken off the device when it is suspended (level 3). Absolute, but the call takes most of a
//    millisecond: for long commands, and urgent units that pause often. A short timeslice helps here too: the hardware
//    has mostly switched before the call is done.
// No short timeslices for programs of one priority: they would take turns at that rate (a switch takes 175 us).
// Pure; one caller at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/core.h"

namespace xsched::dispatch {

// Numbers and sentences: means.def.
enum class Means : uint32_t {
#define XSCHED_MEANS(name, number, sentence) name = number,
#include "dispatch/means.def"
#undef XSCHED_MEANS
};
const char* means_sentence(Means means);

// How a unit has used the device lately: whether its next burst usually follows soon.
class Pauses {
public:
    static constexpr int64_t kShortNs = 1'000'000;  // a pause in which a victim would be let in by the hardware
    static constexpr unsigned kRemembered = 32;
    static constexpr unsigned kEnough = 2;

    // As Grace::observe (sched/grace.h).
    void observe(bool ready, int64_t ready_since_ns, int64_t idle_since_ns);
    // Uses the device in one stretch, for all we know.
    bool streams() const;

private:
    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest
    unsigned count_ = 0;
    int64_t seen_ready_ns_ = 0;
};

struct Victim {
    int64_t command_ns = 0;  // the longest mean of its queues; 0: not known
    bool has_rival = false;  // somebody of another process may preempt it,
    bool rival_streams = false;
    bool has_peer = false;   // another process of the same priority shares the device with it
    bool was_long = false;   // what was chosen last says that its commands are
    bool announced = false;  // it is suspended before the rival needs the device
};
// From a queue's suspension until nothing of it runs on the device, as far as its level and the mean length of its
// commands (0: not known) tell.
int64_t off_ns(uint32_t level, int64_t command_ns);
// What to do before it is ever suspended, and when it is.
Means choose_means(const Victim& victim);

// Whether a short timeslice goes with it.
bool shortens_timeslice(const Victim& victim, Means usual);

// Timeslices by rank among the priorities on a device: 0, the most urgent, keeps the driver's own (0); the last one
// gets a microsecond, those between lie between.
uint32_t timeslice_us_of(unsigned rank, unsigned ranks);

// What is remembered of every unit.
class Rivals {
public:
    void observe(std::span<const sched::UnitState> units);
    // Fills in what is known of those who may preempt `victim`.
    void look(const policy::Unit& victim, std::span<const sched::UnitState> units, Victim& result) const;
    static uint32_t timeslice_us(const policy::Unit& victim, std::span<const sched::UnitState> units);

private:
    struct Memory {
        uint64_t id = 0;
        Pauses pauses;
    };
    std::vector<Memory> memories_;  // in the order of the units of the last pass
};

}  // namespace xsched::dispatch
