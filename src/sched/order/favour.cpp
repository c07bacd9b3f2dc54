#include "sched/order/favour.h"

#include <algorithm>
#include <utility>

#include "sched/facts/rule_on.h"

namespace xsched::sched {
namespace {

bool decides_alone(const UnitHistory& unit) { return unit.in_gang == InGang::kAsAnswered; }

// Returns the runnable unit that has waited longest for the device, if it may starve soon; otherwise kNowhere. A unit
// is favoured at most once in that time.
uint32_t who_starves(const Pass& pass) {
    const DeviceHistory& device = pass.device;
    const int64_t long_enough_ns = Starvation::soon_ns(pass.settings.starvation_limit_ns);
    uint32_t found = kNowhere;
    int64_t longest_ns = long_enough_ns - 1;
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        const UnitHistory& unit = pass.history(place);
        if (!pass.unit(place).ready || !device.answers[place].run || !decides_alone(unit)) continue;
        if (pass.now_ns - unit.favoured_ns < long_enough_ns) continue;
        const int64_t waited_ns = unit.starvation.waited_ns(pass.now_ns);
        if (waited_ns <= longest_ns) continue;
        longest_ns = waited_ns;
        found = place;
    }
    return found;
}

void begin(Pass& pass, uint32_t place) {
    const UnitState& state = pass.unit(place);
    pass.history(place).favoured_ns = pass.now_ns;
    pass.device.favour = {.id = state.unit.id,
                          .since_ns = pass.now_ns,
                          .left_ns = std::max(pass.settings.starvation_turn_ns, state.unit.command_ns)};
}

// Returns the unit that is favoured and may run now; otherwise kNowhere.
uint32_t who_has_it(Pass& pass) {
    DeviceHistory& device = pass.device;
    Favour& favour = device.favour;
    const uint32_t at = device.find(favour.id);
    const uint32_t place = at != kNowhere ? device.units[at].place : kNowhere;
    if (place == kNowhere || !pass.unit(place).ready || pass.unit(place).progress_ns > favour.since_ns ||
        !decides_alone(device.units[at])) {
        favour = {};
        return kNowhere;
    }
    const int64_t had_since_ns = std::exchange(favour.has_since_ns, device.answers[place].run ? pass.now_ns : 0);
    if (had_since_ns != 0) favour.left_ns -= pass.now_ns - had_since_ns;
    if (favour.left_ns > 0) return device.answers[place].run ? place : kNowhere;
    favour = {};
    return kNowhere;
}

}  // namespace

void favour_who_starves(Pass& pass) {
    DeviceHistory& device = pass.device;
    if (pass.settings.starvation_limit_ns <= 0 || !rule_on(Rule::kFavour)) return;
    if (device.favour.id == 0 && pass.all)
        if (const uint32_t place = who_starves(pass); place != kNowhere) begin(pass, place);
    if (device.favour.id == 0) return;
    const uint32_t place = who_has_it(pass);
    if (place == kNowhere) return;
    pass.wake(pass.now_ns + device.favour.left_ns);
    const uint64_t process = pass.unit(place).unit.process;
    const int32_t urgency = device.urgency[device.eligible[place]];
    for (uint32_t other = 0; other < device.eligible.size(); ++other) {
        if (!device.answers[other].run || pass.unit(other).unit.process == process ||
            !decides_alone(pass.history(other)))
            continue;
        if (device.urgency[device.eligible[other]] > urgency || device.preemptible[other] == 0) continue;
        device.answer(other, By::kFavour, {.run = false, .by = device.favour.id});
    }
}

}  // namespace xsched::sched
