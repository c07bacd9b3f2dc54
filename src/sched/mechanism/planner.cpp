#include "sched/mechanism/planner.h"

#include <algorithm>
#include <limits>

#include "sched/facts/rule_on.h"
#include "sched/mechanism/losses.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

// How many times the urgent unit's loss counts beside the victim's. A call costs the victim 500 us. On an H100 calls
// pay from commands of a quarter of a millisecond on, of which a burst waits for half (docs/decisions/003). So about
// 0.1 ms for the urgent unit must outweigh 0.5 ms for the victim (docs/decisions/026).
constexpr int64_t kUrgentWeight = 5;

struct Row {
    Mechanism mechanism;
    uint32_t level;
    bool (*needs)(const Victim& victim);
    int64_t (*urgent)(const Victim& victim);
    int64_t (*victim)(const Victim& victim);
};
constexpr Row kRows[] = {
#define XSCHED_MECHANISM(name, number, level, needs, urgent, victim, sentence) \
    {Mechanism::name, level, losses::needs, losses::urgent, losses::victim},
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
};

// Calls `see(mechanism, urgent_ns, victim_ns)` for each way that may be taken.
template <typename See>
void for_each_way(const Victim& victim, See see) {
    for (const Row& row : kRows)
        if (row.level <= victim.level && row.needs(victim)) see(row.mechanism, row.urgent(victim), row.victim(victim));
}

uint32_t whole_us(int64_t ns) { return static_cast<uint32_t>(std::min<int64_t>(ns / 1000, UINT32_MAX)); }

}  // namespace

Candidates candidates(const Victim& victim) {
    Candidates found;
    auto next = found.begin();
    for_each_way(victim, [&](Mechanism mechanism, int64_t urgent_ns, int64_t victim_ns) {
        if (mechanism == Mechanism::kNone || next == found.end()) return;
        *next++ = {mechanism, whole_us(urgent_ns), whole_us(victim_ns)};
    });
    return found;
}

Mechanism choose_mechanism(const Victim& victim) {
    Mechanism best = Mechanism::kGate;
    int64_t least_ns = std::numeric_limits<int64_t>::max();
    for_each_way(victim, [&](Mechanism mechanism, int64_t urgent_ns, int64_t victim_ns) {
        const int64_t both_ns = kUrgentWeight * urgent_ns + victim_ns;
        if (both_ns >= least_ns) return;
        least_ns = both_ns;
        best = mechanism;
    });
    return best;
}

// Chooses kKeptOff if the end of the victim's short timeslice surely takes it off: a rival takes the device then and
// does not pause. Otherwise chooses kTakenOff.
Interrupt choose_interrupt(const Victim& victim, Mechanism mechanism, bool short_timeslice) {
    if (!interrupts(mechanism)) return Interrupt::kNone;
    const bool presses = mechanism == Mechanism::kInterrupt || mechanism == Mechanism::kInterruptUnknown;
    const bool keeps = victim.has_rival && victim.returns.before_call == 0;
    return presses && short_timeslice && keeps ? Interrupt::kKeptOff : Interrupt::kTakenOff;
}

bool shortens_timeslice(const Victim& victim, Mechanism usual) {
    if (victim.shares_context()) return victim.has_outside_rival && !victim.has_outside_peer;
    if (victim.level < kPreemptLevelInterrupt || victim.takes_turns() || !victim.costs.has_timeslices()) return false;
    return usual >= Mechanism::kTimeslice || (usual == Mechanism::kGate && (victim.held_through() || victim.copies));
}

// Returns the distance between the victim's gates: twice the usual one if the ends of the rivals' bursts are
// foreseen; 0: the usual one. A burst waits for half of that distance on average, which is little beside such long
// bursts. They leave the victim little time, of which gates at the usual distance take 1.5 % (docs/decisions/023).
uint32_t gates_apart_us(const Victim& victim) {
    const bool apart = victim.has_rival && victim.held_to_end() && !victim.has_peer;
    return apart && rule_on(Rule::kGatesApart) ? whole_us(2 * kBetweenGatesNs) : 0;
}

}  // namespace xsched::sched
