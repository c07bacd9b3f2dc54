// The relations of all units of one device: which may be preempted by which, and how the preempting ones use the
// device. Summed up once per priority, so that the cost of looking at a unit does not grow with the number of units.
// Not thread-safe. Allocates only when there are more units than ever before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/facts/unit.h"
#include "sched/facts/victim.h"
#include "sched/state/ranks.h"

namespace xsched::sched {

// The part that a unit has in the turns of units of equal priority on the device (turns.h).
enum class InTurns : uint8_t {
    kTakes,   // it takes its turn, or its pool does
    kBeside,  // it copies, beside the unit that has the device
    kPrevents,  // it prevents turns, so that all run side by side: no timeslice can take it off the device, or its gang
                // runs together
};

// How a unit uses the device, as far as its victims are concerned.
struct Usage {
    Returns returns;
    int64_t missing = 0;  // Pauses::missing
    int64_t held_ns = 0;  // length of its foreseen bursts, if it holds the device through them or to their end
    bool lately = false;  // it has worked recently
    int64_t holds_until_ns = 0;  // UnitState::holds_until_ns
    InTurns in_turns = InTurns::kPrevents;
    bool only_copies = false;  // CopyShare::only
    // Returns whether its equals take no turns: it has worked recently, and could not be kept off in theirs.
    bool prevents_turns() const { return in_turns == InTurns::kPrevents && lately; }
    bool operator==(const Usage&) const = default;
};

class Rivals {
public:
    // Sums up all units. `urgency` and `usages` are by position. Units that have not worked recently do not count
    // beside equals that have.
    void sum_up(std::span<const UnitState> units, std::span<const int32_t> urgency, std::span<const Usage> usages);
    // Adds to `result` what is known of the units that may preempt the one at position `at`.
    void look(size_t at, const UnitState& victim, const Usage& usage, Victim& result) const;
    // Returns whether units of other processes may be kept off the device for the unit at that position.
    bool has_victims(size_t at, const UnitState& unit) const;
    // Returns whether the unit's process alone is the most urgent of several processes. Processes of equal priority
    // that have not worked recently do not count.
    bool leads(size_t at, const UnitState& unit) const;
    // Returns the timeslice in the hardware of the unit at that position; 0: the driver's own.
    uint32_t timeslice_us(size_t at) const;

private:
    struct Rank {
        Processes here;
        Processes here_lately;  // processes that have worked recently
        Processes takers_lately;  // UnitState::turn_taker of units that have worked recently
        bool side_by_side = false;  // some unit of this rank prevents turns
        Processes below;
        Processes above;
        Processes above_outside;  // those that have level 3
        Largest above_pauses;  // of the units above that count: each number by itself
        Largest above_unbridged;
        Largest above_before_call;
        Largest above_slice_ends;
        Largest above_missing;
        Least above_held;
    };
    static void add_above(Rank& rank, uint64_t process, const Usage& usage);
    static void join_above(Rank& rank, const Rank& above);
    static Returns returns_but_of(const Rank& rank, uint64_t process);
    Ranks ranks_;
    std::vector<Rank> by_rank_;
};

}  // namespace xsched::sched
