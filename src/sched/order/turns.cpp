#include "sched/order/turns.h"

#include <algorithm>
#include <utility>

#include "sched/facts/rule_on.h"
#include "sched/facts/times.h"

namespace xsched::sched {
namespace {

// A new or returning process is credited with at most this many turns, and may start before the current turn ends.
constexpr int64_t kSavedTurns = 2;

// The equals that may run now.
struct Equals {
    bool any = false;
    bool take_turns = false;
    uint32_t rank = 0;
    int64_t working = 0;  // how many of them have work
    uint32_t holder = kNowhere;  // a unit of the process whose turn it is, if possible one with work
    uint32_t next = kNowhere;  // a unit with work, of the process that has used the device least
    int64_t most_ns = 0;  // most device time that any process with work has had
};

bool has_work(const Pass& pass, uint32_t place) { return pass.unit(place).ready; }

bool is_below_others(const DeviceHistory& device, uint32_t place) {
    return device.ranks.of(place) + 1 != device.ranks.count();
}

Equals look_at(const Pass& pass) {
    const DeviceHistory& device = pass.device;
    Equals equals;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        if (!device.answers[place].run || !is_below_others(device, place)) continue;
        const Usage& usage = device.usages[device.eligible[place]];
        if (usage.in_turns == InTurns::kBeside) continue;
        if (usage.in_turns == InTurns::kPrevents && !usage.lately) continue;
        const uint32_t rank = device.ranks.of(place);
        const bool another = std::exchange(equals.any, true) && rank != equals.rank;
        if (usage.prevents_turns() || another) return {.any = true};
        equals.rank = rank;
        const bool works = has_work(pass, place);
        const int64_t had_ns = pass.history(place).turns_had_ns;
        if (works) {
            equals.most_ns = std::max(equals.most_ns, had_ns);
            ++equals.working;
        }
        if (pass.unit(place).turn_taker() == device.turn.taker) {
            if (equals.holder == kNowhere || works) equals.holder = place;
        } else if (works && (equals.next == kNowhere || had_ns < pass.history(equals.next).turns_had_ns)) {
            equals.next = place;
        }
    }
    equals.take_turns = equals.any;
    return equals;
}

// Returns the length of a turn: as long as a starved unit's, which is several of the hardware's own turns. In a crowd
// it is shorter, so that each equal has its turn before any of them is favoured, or starves and gets a turn within an
// urgent burst.
int64_t turn_ns(const Pass& pass, const Equals& equals) {
    const Settings& settings = pass.settings;
    if (settings.starvation_limit_ns <= 0) return settings.starvation_turn_ns;
    return std::min(settings.starvation_turn_ns,
                    Starvation::soon_ns(settings.starvation_limit_ns) / std::max<int64_t>(equals.working, 1));
}

// Calls `Do` for each equal that takes turns, including the present holder.
template <typename Do>
void each(Pass& pass, const Equals& equals, Do act) {
    DeviceHistory& device = pass.device;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        if (!device.answers[place].run || !is_below_others(device, place)) continue;
        if (device.ranks.of(place) != equals.rank) continue;
        if (device.usages[device.eligible[place]].in_turns == InTurns::kTakes) act(place);
    }
}

void account(Pass& pass, const Equals& equals) {
    Turn& turn = pass.device.turn;
    const int64_t had_since_ns = std::exchange(turn.has_since_ns, equals.holder != kNowhere ? pass.now_ns : 0);
    const int64_t had_ns = had_since_ns != 0 ? pass.now_ns - had_since_ns : 0;
    turn.left_ns -= had_ns;
    if (!equals.take_turns) return;
    each(pass, equals, [&](uint32_t place) {
        int64_t& ns = pass.history(place).turns_had_ns;
        if (pass.unit(place).turn_taker() == turn.taker) ns += had_ns;
        ns = std::max(ns, equals.most_ns - kSavedTurns * turn_ns(pass, equals));
    });
}

// Returns the longest time that a change of turns takes: until the process is off, and one more call 2 ms later in case
// the device missed the last one (queue/stop/hardware_stop.cpp). A burst that comes meanwhile waits for these calls, or
// loses the device to them (docs/decisions/022).
int64_t change_ns(const UnitState& holder) { return holder.costs.most_off_ns() + kLateNs; }

// Returns until when no turn may begin, because a more urgent burst is foreseen before the change of turns would be
// over; 0 if none is foreseen. Another process has the turn.
int64_t none_begins_until_ns(const Pass& pass, const Equals& equals) {
    const DeviceHistory& device = pass.device;
    int64_t until_ns = 0;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        const Foreseen& foreseen = pass.history(place).foreseen;
        if (foreseen.at_ns == 0 || device.ranks.of(place) <= equals.rank || has_work(pass, place)) continue;
        const int64_t lead_ns = std::min(change_ns(pass.unit(equals.holder)), foreseen.most_lead_ns);
        if (pass.now_ns < foreseen.at_ns - lead_ns || pass.now_ns >= foreseen.until_ns) continue;
        until_ns = std::max(until_ns, foreseen.until_ns);
    }
    return until_ns;
}

// Returns whether the present turn is over, so that the next process gets the device.
bool is_over(const Pass& pass, const Equals& equals) {
    const Turn& turn = pass.device.turn;
    if (equals.holder == kNowhere) return true;
    const int64_t beyond_ns = pass.history(equals.holder).turns_had_ns - pass.history(equals.next).turns_had_ns;
    if (turn.left_ns <= 0 && beyond_ns >= 0) return true;
    if (turn.paused_ns != 0 && pass.now_ns >= turn.paused_ns + kLeastUseNs) return true;
    return beyond_ns >= turn_ns(pass, equals);
}

void begin(Pass& pass, const Equals& equals) {
    const UnitState& state = pass.unit(equals.next);
    pass.device.turn = {.taker = state.turn_taker(), .left_ns = turn_ns(pass, equals), .has_since_ns = pass.now_ns};
    // The process whose turn begins pays for the calls that begin it: their time is counted as turn time that it has
    // had (docs/decisions/015).
    const int64_t begin_ns = state.costs.interrupt_ns();
    each(pass, equals, [&](uint32_t place) {
        if (pass.unit(place).turn_taker() == state.turn_taker()) pass.history(place).turns_had_ns += begin_ns;
    });
}

}  // namespace

void take_turns(Pass& pass) {
    DeviceHistory& device = pass.device;
    Turn& turn = device.turn;
    if (!rule_on(Rule::kTurns)) return;
    Equals equals = look_at(pass);
    account(pass, equals);
    if (!equals.any) return;  // a more urgent unit has the device: the rest of the turn comes later
    if (!equals.take_turns) {
        turn = {};
        return;
    }
    const bool pauses = equals.holder != kNowhere && !has_work(pass, equals.holder);
    turn.paused_ns = !pauses ? 0 : turn.paused_ns != 0 ? turn.paused_ns : pass.now_ns;
    bool waits = false;
    if (equals.next != kNowhere && is_over(pass, equals)) {
        const int64_t until_ns =
            equals.holder != kNowhere && rule_on(Rule::kNoTurnNear) ? none_begins_until_ns(pass, equals) : 0;
        waits = until_ns != 0;
        if (waits) {
            pass.wake(until_ns);
        } else {
            begin(pass, equals);
            equals.holder = equals.next;
        }
    }
    if (equals.holder == kNowhere) return;
    if (equals.next != kNowhere && !waits) {
        pass.wake(pass.now_ns + std::max<int64_t>(turn.left_ns, kLeastUseNs));
        if (turn.paused_ns != 0) pass.wake(turn.paused_ns + kLeastUseNs);
    }
    const uint64_t by = pass.unit(equals.holder).unit.id;
    each(pass, equals, [&](uint32_t place) {
        if (pass.unit(place).turn_taker() != turn.taker) device.answer(place, By::kTurn, {.run = false, .by = by});
    });
}

}  // namespace xsched::sched
