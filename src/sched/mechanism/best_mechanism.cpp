#include "sched/mechanism/best_mechanism.h"

#include "sched/facts/rule_on.h"
#include "sched/mechanism/mechanism_costs.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

struct Row {
    Mechanism mechanism;
    uint32_t level;
    int64_t (*cost)(const Victim& victim);
};
constexpr Row kRows[] = {
#define XSCHED_MECHANISM(name, number, level, cost, sentence) {Mechanism::name, level, mechanism_costs::cost},
#include "sched/facts/mechanism.def"
#undef XSCHED_MECHANISM
};

}  // namespace

Mechanism choose_mechanism(const Victim& victim) {
    Mechanism best = Mechanism::kGate;
    int64_t least = mechanism_costs::kNever;
    for (const Row& row : kRows) {
        if (row.level > victim.level) continue;
        const int64_t cost = row.cost(victim);
        if (cost >= least) continue;
        least = cost;
        best = row.mechanism;
    }
    return best;
}

Interrupt choose_interrupt(const Victim& victim, Mechanism mechanism, bool short_timeslice) {
    if (!interrupts(mechanism)) return Interrupt::kNone;
    // A timeslice takes the victim off only if another process has work to take the device and keep it.
    const bool presses = mechanism == Mechanism::kInterrupt || mechanism == Mechanism::kInterruptUnknown;
    return presses && short_timeslice && victim.rival_keeps_alive ? Interrupt::kKeptOff : Interrupt::kTakenOff;
}

bool shortens_timeslice(const Victim& victim, Mechanism usual) {
    if (!rule_on(Rule::kShortTimeslice)) return false;
    if (victim.level < kPreemptLevelInterrupt || victim.takes_turns() || !victim.costs.has_timeslices()) return false;
    return usual >= Mechanism::kTimeslice || (usual == Mechanism::kGate && (victim.rival_holds || victim.copies));
}

// A burst waits for half the gate distance on average. Bursts whose end is foreseen are long, so that this is
// negligible. They leave the victim little time, of which gates at their usual distance would take 1.5 %
// (docs/decisions/023).
uint32_t gates_apart_us(const Victim& victim) {
    constexpr uint32_t kBesideLongBurstsUs = 300;  // decision 023
    const bool apart = victim.has_rival && victim.rival_end_foreseen && !victim.has_peer;
    return apart && rule_on(Rule::kGatesApart) ? kBesideLongBurstsUs : 0;
}

}  // namespace xsched::sched
