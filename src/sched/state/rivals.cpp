#include "sched/state/rivals.h"

#include <algorithm>

#include "sched/facts/mechanism.h"
#include "sched/facts/rule_on.h"

namespace xsched::sched {

// Adds a unit to the sums for lower ranks.
void Rivals::add_above(Rank& rank, uint64_t process, const Usage& usage) {
    rank.above_pauses.add(process, usage.returns.pauses);
    rank.above_unbridged.add(process, usage.returns.unbridged);
    rank.above_before_call.add(process, usage.returns.before_call);
    rank.above_slice_ends.add(process, usage.returns.slice_ends);
    rank.above_missing.add(process, usage.missing);
    rank.above_held.add(process, usage.held_ns);
}

void Rivals::join_above(Rank& rank, const Rank& above) {
    rank.above.add(above.above);
    rank.above_outside.add(above.above_outside);
    rank.above_pauses.add(above.above_pauses);
    rank.above_unbridged.add(above.above_unbridged);
    rank.above_before_call.add(above.above_before_call);
    rank.above_slice_ends.add(above.above_slice_ends);
    rank.above_missing.add(above.above_missing);
    rank.above_held.add(above.above_held);
}

Returns Rivals::returns_but_of(const Rank& rank, uint64_t process) {
    return {.pauses = rank.above_pauses.but_of(process),
            .unbridged = rank.above_unbridged.but_of(process),
            .before_call = rank.above_before_call.but_of(process),
            .slice_ends = rank.above_slice_ends.but_of(process)};
}

void Rivals::sum_up(std::span<const UnitState> units, std::span<const int32_t> urgency, std::span<const Usage> usages) {
    ranks_.build(units.size(), [urgency](size_t at) { return urgency[at]; });
    const uint32_t count = ranks_.count();
    by_rank_.reserve(units.size());
    by_rank_.assign(count, Rank{});
    for (size_t at = 0; at < units.size(); ++at) {
        const uint32_t rank = ranks_.of(at);
        const uint64_t process = units[at].unit.process;
        by_rank_[rank].here.add(process);
        if (usages[at].lately) {
            by_rank_[rank].here_lately.add(process);
            by_rank_[rank].takers_lately.add(units[at].turn_taker());
        }
        by_rank_[rank].side_by_side |= usages[at].prevents_turns();
        if (rank + 1 < count) by_rank_[rank + 1].below.add(process);
        if (rank != 0) by_rank_[rank - 1].above.add(process);
        if (rank != 0 && units[at].level >= kPreemptLevelInterrupt) by_rank_[rank - 1].above_outside.add(process);
    }
    for (size_t at = 0; at < units.size(); ++at) {
        const uint32_t rank = ranks_.of(at);
        const bool counts = usages[at].lately || !by_rank_[rank].here_lately.any();
        if (rank != 0 && counts) add_above(by_rank_[rank - 1], units[at].unit.process, usages[at]);
    }
    for (uint32_t rank = 1; rank < count; ++rank) by_rank_[rank].below.add(by_rank_[rank - 1].below);
    for (uint32_t rank = count; rank-- > 1;) join_above(by_rank_[rank - 1], by_rank_[rank]);
}

void Rivals::look(size_t at, const UnitState& victim, const Usage& usage, Victim& result) const {
    const Rank& rank = by_rank_[ranks_.of(at)];
    const uint64_t process = victim.unit.process;
    const bool below = rank.above.any_but(process);
    const bool has_turns = below && !rank.side_by_side && usage.in_turns == InTurns::kTakes;
    const bool alone_in_turn = has_turns && !victim.shares_context();
    result.has_peer = result.has_peer || (!alone_in_turn && rank.here.any_but(process));
    result.has_outside_peer =
        result.has_outside_peer || (!has_turns && rank.takers_lately.any_but(victim.turn_taker()));
    if (!below) return;
    const int64_t missing = rank.above_missing.but_of(process);
    const int64_t held_ns = rank.above_held.but_of(process);
    const bool among_peers = rank.here.any_but(process);
    const bool only_copies = rule_on(Rule::kOnlyCopies) && usage.only_copies && missing > 0;
    const bool copies = usage.in_turns == InTurns::kBeside && (among_peers || only_copies);
    result.copies = (result.copies || !result.has_rival) && copies;
    result.returns.join(returns_but_of(rank, process));
    result.held_ns = result.has_rival ? std::min(result.held_ns, held_ns) : held_ns;
    result.missing = std::max(result.missing, missing);
    result.has_rival = true;
    result.has_outside_rival = result.has_outside_rival || rank.above_outside.any_but(process);
}

bool Rivals::has_victims(size_t at, const UnitState& unit) const {
    return by_rank_[ranks_.of(at)].below.any_but(unit.unit.process);
}

bool Rivals::leads(size_t at, const UnitState& unit) const {
    const Rank& rank = by_rank_[ranks_.of(at)];
    const uint64_t process = unit.unit.process;
    return rank.below.any_but(process) && !rank.here_lately.any_but(process) && !rank.above.any_but(process);
}

uint32_t Rivals::timeslice_us(size_t at) const {
    return timeslice_us_of(ranks_.count() - 1 - ranks_.of(at), ranks_.count());
}

}  // namespace xsched::sched
