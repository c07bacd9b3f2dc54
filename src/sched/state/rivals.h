// The relations of all units of one device: which may be preempted by which, and how the preempting ones use the
// device. Summed up per priority once, so that looking at a unit costs the same however many there are. Not
// thread-safe. Allocates only when there are more units than ever before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/facts/unit.h"
#include "sched/facts/victim.h"
#include "sched/state/ranks.h"

namespace xsched::sched {

// The unit's part where equals take turns (turns.h).
enum class InTurns : uint8_t {
    kTakes,
    kBeside,  // it copies, beside whoever has the device
    kPrevents,  // level 3 does not take it off the device, or its gang runs together: all run beside each other
};

// How a unit uses the device, as far as it matters to its victims.
struct Usage {
    bool streams = false;  // Pauses::streams
    bool brief = false;  // its bursts are over before a call could keep a victim off; and it keeps the device
    bool keeps_alive = false;  // it keeps the device through its short pauses
    bool unsure = false;  // Pauses::unsure
    bool outlasts = false;  // its bursts are longer than its timeslice in the hardware
    bool end_foreseen = false;  // it holds the device to the end of its bursts, which are long
    bool lately = false;  // it has worked lately
    bool holds = false;  // it holds the device through its bursts, which are foreseen
    int64_t holds_until_ns = 0;  // UnitState::holds_until_ns
    InTurns in_turns = InTurns::kPrevents;
    bool only_copies = false;  // CopyShare::only
    bool operator==(const Usage&) const = default;
};

class Rivals {
public:
    // `urgency` and `usages`: of the units at the same positions. How those use the device that have not worked lately
    // does not count beside equals that have.
    void sum_up(std::span<const UnitState> units, std::span<const int32_t> urgency, std::span<const Usage> usages);
    // Adds to `result` what is known of those that may preempt the unit at that position.
    void look(size_t at, const UnitState& victim, const Usage& usage, Victim& result) const;
    // Whether units of other processes may be kept off the device for the sake of the one at that position.
    bool has_victims(size_t at, const UnitState& unit) const;
    // Whether it alone is the most urgent of several processes, but for equals that have not worked lately.
    bool leads(size_t at, const UnitState& unit) const;
    // The timeslice in the hardware of the unit at that position; 0: the driver's own.
    uint32_t timeslice_us(size_t at) const;

private:
    struct Rank {
        Processes here;
        Processes here_lately;  // those that have worked lately
        bool side_by_side = false;  // some of those prevent turns
        Processes below;
        Processes above;
        Processes above_pausing;  // of those above that count, the ones that pause often,
        Processes above_lasting;  // and the ones whose bursts are not brief
        Processes above_not_holding;  // and the ones that do not hold it through their bursts
        Processes above_end_unforeseen;  // and the ones whose bursts' ends are not foreseen
        Processes above_leaving;  // and the ones that do not keep the device through their pauses
        Processes above_unsure;  // and those of which too little is known
        Processes above_outlasting;  // and those whose bursts outlast their timeslices
    };
    static void add_above(Rank& rank, uint64_t process, const Usage& usage);
    Ranks ranks_;
    std::vector<Rank> by_rank_;
};

}  // namespace xsched::sched
