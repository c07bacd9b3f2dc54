#include "sched/mechanism.h"

#include <algorithm>

#include "sched/mechanism_costs.h"
#include "xsched/types.h"

namespace xsched::sched {

namespace {

constexpr unsigned kTimesliceBits = 11;  // 2 ms, about a driver's own

struct Row {
    Mechanism mechanism;
    uint32_t level;
    int64_t (*cost)(const Victim& victim);
};
constexpr Row kRows[] = {
#define XSCHED_MECHANISM(name, number, level, cost, sentence) {Mechanism::name, level, mechanism_costs::cost},
#include "sched/mechanism.def"
#undef XSCHED_MECHANISM
};

}  // namespace

const char* mechanism_sentence(Mechanism mechanism) {
    switch (mechanism) {
#define XSCHED_MECHANISM(name, number, level, cost, sentence) \
    case Mechanism::name: return sentence;
#include "sched/mechanism.def"
#undef XSCHED_MECHANISM
    }
    return "?";
}

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
    // A timeslice takes the victim off only where somebody else's work is there to take the device and keep it.
    const bool presses = mechanism == Mechanism::kInterrupt || mechanism == Mechanism::kInterruptUnknown;
    return presses && short_timeslice && victim.rival_keeps_alive ? Interrupt::kKeptOff : Interrupt::kTakenOff;
}

bool shortens_timeslice(const Victim& victim, Mechanism usual) {
    return victim.level >= kPreemptLevelInterrupt && !victim.has_peer && usual >= Mechanism::kTimeslice;
}

uint32_t timeslice_us_of(unsigned rank, unsigned ranks) {
    if (rank == 0 || ranks < 2) return 0;
    rank = std::min(rank, ranks - 1);
    return 1U << (kTimesliceBits * (ranks - 1 - rank) / (ranks - 1));
}

}  // namespace xsched::sched
