#include "sched/order/beside.h"

#include "sched/facts/rule_on.h"

namespace xsched::sched {
namespace {

bool asks(const Pass& pass, uint32_t place) {
    return pass.device.asked[place].side_by_side != 0 && pass.history(place).in_gang == InGang::kAsAnswered;
}

// Returns the unit for which this one would make room, if both ask to run beside each other; otherwise kNowhere.
uint32_t beside_whom(const Pass& pass, uint32_t place) {
    const DeviceHistory& device = pass.device;
    const policy::Choice& answer = device.answers[place];
    const bool makes_room = !answer.run && answer.why == policy::Why::kTurn && answer.by != 0;
    if (!makes_room || device.answered_by[place] != By::kPolicy || !asks(pass, place)) return kNowhere;
    const uint32_t at = device.find(answer.by);
    const uint32_t whom = at != kNowhere ? device.units[at].place : kNowhere;
    if (whom == kNowhere || !asks(pass, whom) || device.ranks.of(whom) <= device.ranks.of(place)) return kNowhere;
    return device.asked[whom].process != device.asked[place].process ? whom : kNowhere;
}

void next_stretch(Pass& pass, uint32_t place, int64_t end_ns, int64_t begin_ns) {
    BesideTrial& beside = pass.history(place).beside;
    const uint64_t completed = pass.unit(place).completed;
    beside.end(end_ns, completed);
    beside.begin(begin_ns, completed);
}

void decide(Pass& pass, uint32_t place, uint32_t whom) {
    BesideTrial& beside = pass.history(whom).beside;
    if (pass.unit(whom).ready) {
        if (pass.now_ns >= beside.end_ns()) next_stretch(pass, whom, pass.now_ns, pass.now_ns);
        pass.wake(beside.end_ns());
    }
    if (pass.unit(place).ready) beside.works();
    if (beside.open()) pass.device.answer(place, By::kBeside, {});
}

}  // namespace

void run_beside(Pass& pass) {
    if (!rule_on(Rule::kBeside)) return;
    for (uint32_t place = 0; place < pass.device.eligible.size(); ++place)
        if (const uint32_t whom = beside_whom(pass, place); whom != kNowhere) decide(pass, place, whom);
}

void see_burst_beside(Pass& pass, uint32_t place) {
    if (!asks(pass, place)) return;
    const UnitHistory& known = pass.history(place);
    const int64_t began_ns = known.period.began_ns();
    if (began_ns > known.beside.began_ns()) next_stretch(pass, place, pass.unit(place).idle_since_ns, began_ns);
}

}  // namespace xsched::sched
