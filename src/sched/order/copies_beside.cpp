#include "sched/order/copies_beside.h"

#include <algorithm>
#include <utility>

#include "sched/facts/rule_on.h"
#include "sched/order/foreseen.h"

namespace xsched::sched {
namespace {

// Returns whether the unit is the most urgent one, alone, and copies: its first copies would wait for those of others.
bool copies_first(const Pass& pass, uint32_t place) {
    if (pass.device.ranks.of(place) + 1 != pass.device.ranks.count()) return false;  // this leaves out most units
    const UnitHistory& known = pass.history(place);
    return rule_on(Rule::kCopiesOff) && known.leads && known.copies.some();
}

// Returns the most urgent unit that copies, if it has no work now and its next burst is foreseen; kNowhere: there is
// none.
uint32_t who_copies_next(const Pass& pass) {
    uint32_t who = kNowhere;
    if (pass.settings.foresight == Foresight::kNone) return who;
    for (uint32_t place = 0; place < pass.device.eligible.size(); ++place) {
        if (!copies_first(pass, place)) continue;
        const UnitHistory& known = pass.history(place);
        const Foreseen& foreseen = known.foreseen;
        if (foreseen.at_ns == 0 || foreseen.too_dear || pass.now_ns >= foreseen.until_ns) continue;
        if (pass.unit(place).ready) continue;
        if (who == kNowhere || foreseen.at_ns < pass.history(who).foreseen.at_ns) who = place;
    }
    return who;
}

// Returns when the unit's next burst is foreseen, or when it began; 0 if neither, or if the unit does not copy.
int64_t copy_burst_of(Pass& pass, uint32_t place) {
    const UnitHistory& known = pass.history(place);
    if (!copies_first(pass, place)) return 0;
    const UnitState& state = pass.unit(place);
    const bool announces = state.unit.expect_ns != 0 || state.unit.period_us != 0;
    if (state.ready) return known.was_foreseen || announces ? state.unit.ready_since_ns : 0;
    // Without an announcement the rhythm itself is used. The expectation that other decisions use begins only when
    // the unit no longer wants the device, which is too late here.
    return announces ? known.expectation.next(pass.now_ns).at_ns : rhythm_of(pass, place).at_ns;
}

}  // namespace

void tell_copy_bursts(Pass& pass) {
    DeviceHistory& device = pass.device;
    int64_t first_ns = 0;
    uint64_t process = 0;
    const uint32_t top = device.ranks.count() - 1;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        const int64_t its_ns = copy_burst_of(pass, place);
        if (its_ns == 0 || (first_ns != 0 && its_ns >= first_ns)) continue;
        first_ns = its_ns;
        process = pass.unit(place).unit.process;
    }
    if (!std::exchange(device.tells_copies, first_ns != 0) && first_ns == 0) return;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        const bool makes_room = device.ranks.of(place) != top && pass.unit(place).unit.process != process;
        UnitHistory& known = pass.history(place);
        const int64_t its_ns = makes_room ? first_ns : 0;
        if (std::exchange(known.copy_burst_ns, its_ns) != its_ns) known.dirty = true;
    }
}

void keep_copies_off(Pass& pass) {
    DeviceHistory& device = pass.device;
    const uint32_t who = who_copies_next(pass);
    if (who == kNowhere) return;
    const Foreseen& next = pass.history(who).foreseen;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        if (!device.answers[place].run || device.ranks.of(place) >= device.ranks.of(who)) continue;
        if (device.usages[device.eligible[place]].in_turns != InTurns::kBeside) continue;
        // Copies of the same process go on: the more urgent unit may wait for them.
        if (pass.unit(place).unit.process == pass.unit(who).unit.process) continue;
        const int64_t lasts_ns = std::min(pass.unit(place).unit.command_ns, Account::part_of(next.apart_ns));
        const int64_t begin_ns = next.at_ns - lasts_ns;
        pass.wake(pass.now_ns < begin_ns ? begin_ns : next.until_ns);
        if (pass.now_ns >= begin_ns) device.answer(place, By::kCopies, {.run = false, .by = pass.unit(who).unit.id});
    }
}

}  // namespace xsched::sched
