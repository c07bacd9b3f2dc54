#include "sched/core/core.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "sched/core/chooser.h"
#include "sched/facts/rule_on.h"
#include "sched/facts/times.h"
#include "sched/mechanism/mechanism_chooser.h"
#include "sched/order/beside.h"
#include "sched/order/copies_beside.h"
#include "sched/order/favour.h"
#include "sched/order/turns.h"
#include "sched/state/history.h"
#include "xsched/types.h"

namespace xsched::sched {

namespace {

Reason why_it_runs(const DeviceHistory& device, uint32_t place) {
    if (device.answered_by[place] == By::kAnnounced) return Reason::kUntilNeeded;
    if (device.answered_by[place] == By::kBeside) return Reason::kBeside;
    return device.eligible.size() == 1 ? Reason::kAlone : Reason::kChosen;
}

// Returns why a unit waits, as far as the stage that gave the answer tells.
Reason why_it_waits(const DeviceHistory& device, uint32_t place) {
    switch (device.answered_by[place]) {
        case By::kTurn: return Reason::kEqualsTurn;
        case By::kFavour: return Reason::kFavoured;
        case By::kCopies: return Reason::kCopiesWait;
        default: return Reason::kNotItsTurn;
    }
}

}  // namespace

struct Core::State {
    Settings settings;
    Chooser chooser;
    History history;

    void choose(Pass& pass);
    bool free_for_another(DeviceHistory& device);
    void judge(Pass& pass, uint32_t at);
    void judge_eligible(Pass& pass, uint32_t at, Verdict& verdict);
    void explain_kept_off(const Pass& pass, uint32_t at, Verdict& verdict) const;
    // The unit for which another makes room; null: none.
    struct Urgent {
        const policy::Unit* unit = nullptr;
        int64_t progress_ns = 0;
    };
    Urgent urgent_of(const Pass& pass, uint64_t id);
    int64_t starvation_limit(Pass& pass, uint32_t at);
    void judge_device(Pass& pass, bool watched_before);
};

Core::Core(std::unique_ptr<policy::Policy> policy, Settings settings) : state_(std::make_unique<State>()) {
    state_->settings = settings;
    set_policy(std::move(policy));
}

Core::~Core() = default;
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;

void Core::set_policy(std::unique_ptr<policy::Policy> policy) {
    state_->chooser.set_policy(std::move(policy));
    for (auto& [id, device] : state_->history.devices()) device.watchdog.reset();
}

std::vector<uint64_t>& Core::affected() { return state_->chooser.gangs().affected(); }
Waits& Core::waits() { return state_->chooser.waits(); }
const char* Core::policy_name() const { return state_->chooser.policy_name(); }
const char* Core::why_thrown_out() const { return state_->chooser.why_thrown_out(); }
policy::Fact Core::needs() const { return state_->chooser.needs(); }
const std::vector<policy::Ahead>& Core::accounts() { return state_->chooser.accounts(); }
void Core::take_over(std::span<const policy::Ahead> accounts) { state_->chooser.take_over(accounts); }
uint64_t Core::policy_number() const { return state_->chooser.policy_number(); }
const char* Core::thrown_out() const { return state_->chooser.thrown_out(); }
void Core::forget(uint64_t device) {
    const auto known = state_->history.devices().find(device);
    if (known == state_->history.devices().end()) return;
    state_->chooser.forget(device, known->second.gangs);
    state_->history.forget(device);
}

Plan Core::decide(const DeviceUnits& given, int64_t now_ns) {
    State& state = *state_;
    bool composed = false;
    DeviceHistory& device = state.history.follow(given, now_ns, &composed);
    now_ns = device.decided_ns = std::max(now_ns, device.decided_ns);
    Pass pass{.given = given,
              .device = device,
              .settings = state.settings,
              .now_ns = now_ns,
              .anew = given.all || composed,
              .all = false};
    pass.all = pass.anew || given.look_at_all || device.policy != state.chooser.policy_number() ||
               now_ns - device.looked_at_all_ns >= kLookAtAllNs || (device.due_ns != 0 && now_ns >= device.due_ns);
    if (pass.all) device.looked_at_all_ns = now_ns;
    device.budget.precautions.use(state.settings.precautions && rule_on(Rule::kPrecautions));
    device.budget.foresight.use(state.settings.precautions);
    const bool watched_before = device.watched;
    device.forget_changed();
    state.choose(pass);
    state.judge_device(pass, watched_before);
    choose_mechanisms(pass);
    return {.verdicts = device.verdicts,
            .changed = device.changed,
            .all_changed = composed || watched_before != device.watched,
            .wake_at_ns = pass.wake_at_ns};
}

void Core::State::choose(Pass& pass) {
    if (!chooser.choose(pass) && (chooser.breaks_its_word() || !free_for_another(pass.device))) {
        chooser.throw_out();
        for (auto& [id, device] : history.devices()) device.watchdog.reset();
        pass.wake_at_ns = 0;
        pass.all = true;
        chooser.choose(pass);  // HPF cannot stall
    }
    run_beside(pass);
    favour_who_starves(pass);
    take_turns(pass);
    keep_copies_off(pass);
    tell_copy_bursts(pass);
    pass.device.policy = chooser.policy_number();
}

// Returns whether a device is kept still only because some unit has another one, under a policy that spans devices.
bool Core::State::free_for_another(DeviceHistory& device) {
    if (!chooser.spans_devices()) return false;
    const bool any = std::any_of(history.devices().begin(), history.devices().end(),
                                 [](const auto& entry) { return entry.second.serves; });
    if (any) device.watchdog.reset();
    return any;
}

void Core::State::judge_device(Pass& pass, bool watched_before) {
    DeviceHistory& device = pass.device;
    const bool all = pass.all;
    if (all) {
        device.watched = device.units.size() > 1 && device.eligible.size() < device.units.size();
        device.watched |= device.preemptible_count != 0 || chooser.spans_devices();
        device.due_ns = 0;
        for (uint32_t at = 0; at < device.units.size(); ++at)
            if (device.units[at].place == kNowhere || watched_before != device.watched) judge(pass, at);
    } else {
        for (const uint32_t at : pass.given.changed)
            if (device.units[at].place == kNowhere) judge(pass, at);
    }
    if (!all || watched_before == device.watched) {
        for (uint32_t place = 0; place < device.eligible.size(); ++place) {
            const uint32_t at = device.eligible[place];
            const UnitHistory& known = device.units[at];
            const bool answered_anew = device.answers[place] != device.answered[place];
            if (all || known.dirty || known.inverted || answered_anew) judge(pass, at);
        }
    }
    std::swap(device.answered, device.answers);
    device.running = std::count_if(device.answered.begin(), device.answered.end(),
                                   [](const policy::Choice& answer) { return answer.run; });
    pass.wake(device.due_ns);
}

void Core::State::judge(Pass& pass, uint32_t at) {
    const UnitState& state = pass.given.units[at];
    UnitHistory& known = pass.device.units[at];
    Verdict verdict{.id = state.unit.id, .watched = pass.device.watched};
    known.dirty = known.inverted = false;
    if (known.place != kNowhere) {
        verdict.preemptible = pass.device.preemptible[known.place] != 0;
        verdict.hold_until_ns = known.hold_until_ns;
        verdict.hold_to_end = known.hold_to_end;
        verdict.hold_behind_ns = known.hold_behind_ns;
        verdict.copy_burst_ns = known.copy_burst_ns;
        const int64_t imminent_ns = known.expected.at_ns - Foreseen::prepares_ns(pass.given.units[at].costs);
        verdict.imminent = verdict.hold_until_ns != 0 || (known.expected.at_ns != 0 && pass.now_ns >= imminent_ns);
        judge_eligible(pass, at, verdict);
        if (verdict.suspend) explain_kept_off(pass, at, verdict);
    } else {
        verdict.suspend = true;
        verdict.reason = state.suspended_by_person ? Reason::kHeld : Reason::kNoExecute;
        known.starvation.reset(pass.now_ns);
    }
    if (verdict.suspend != known.suspended) {
        known.suspended = verdict.suspend;
        known.since_ns = pass.now_ns;
        known.claim.observe(state.ready && !verdict.suspend, state.completed, state.stopped, pass.now_ns);
        if (known.place != kNowhere && !std::exchange(known.timed, true)) pass.device.timed.push_back(known.place);
        if (known.place != kNowhere && pass.claim_matters(known.place))
            pass.wake(known.claim.due_ns(settings.claim_limit_ns));
    }
    const bool has_device = state.ready && !verdict.suspend;
    verdict.suspect = has_device && known.claim.suspect();
    verdict.unbelieved = has_device && !known.claim.believed(settings.claim_limit_ns);
    verdict.since_ns = known.since_ns;
    const Verdict& last = pass.device.verdicts[at];
    verdict.preemption = last.preemption;
    verdict.candidates = last.candidates;
    verdict.note = last.note;
    if (verdict.suspend != last.suspend || verdict.by != last.by || verdict.reason != last.reason)
        pass.device.mark_group(at);
    if (!verdict.directs_as(last)) pass.device.note_changed(at);
    pass.device.verdicts[at] = verdict;
}

void Core::State::judge_eligible(Pass& pass, uint32_t at, Verdict& verdict) {
    const UnitState& state = pass.given.units[at];
    UnitHistory& known = pass.device.units[at];
    // A unit that was taken off the device is given back by a call. The starvation check adds the time that this call
    // takes.
    const bool interruptible = state.level >= kPreemptLevelInterrupt;
    const int64_t return_ns =
        std::min(state.costs.interrupt_ns() + state.costs.effect_ns(), settings.starvation_turn_ns);
    const Starvation::Work work{.ready = state.ready,
                                .ready_since_ns = state.unit.ready_since_ns,
                                .command_ns = state.unit.command_ns,
                                .progress_ns = state.progress_ns,
                                .beside = pass.device.running > 1,
                                .return_ns = interruptible ? return_ns : 0};
    if (known.in_gang == InGang::kStopped) {
        known.starvation.reset(pass.now_ns);
        verdict.suspend = true;
        verdict.reason =
            pass.device.answers[known.place].why == policy::Why::kLimited ? Reason::kLimited : Reason::kGang;
        return;
    }
    if (known.in_gang == InGang::kTurn && !pass.device.answers[known.place].run) {
        known.starvation.runs(work, {.limit_ns = settings.starvation_limit_ns}, pass.now_ns);
        verdict.reason = Reason::kStarved;
        return;
    }
    if (pass.device.answers[known.place].run) {
        known.starvation.runs(work, {.limit_ns = settings.starvation_limit_ns}, pass.now_ns);
        verdict.reason = why_it_runs(pass.device, known.place);
        return;
    }
    if (pass.device.answers[known.place].why == policy::Why::kLimited) {
        known.starvation.reset(pass.now_ns);
        verdict.suspend = true;
        verdict.reason = Reason::kLimited;
        return;
    }
    const StarvationLimits limits{.limit_ns = starvation_limit(pass, at), .turn_ns = settings.starvation_turn_ns};
    const bool has_turn = known.starvation.kept_off(work, limits, pass.now_ns);
    pass.device.due_ns = base::earlier(pass.device.due_ns, known.starvation.wake_at_ns(limits));
    verdict.suspend = !has_turn;
    const bool late = pass.device.answers[known.place].why == policy::Why::kLate;
    verdict.reason = has_turn ? Reason::kStarved : late ? Reason::kLate : why_it_waits(pass.device, known.place);
    if (known.in_gang == InGang::kSuspended && !has_turn && pass.device.answers[known.place].by == 0)
        verdict.reason = Reason::kGang;
    if (has_turn) chooser.gangs().give_turn(pass, at, known.starvation.turn_until_ns());
}

// Returns the starvation limit; 0: none. It is shorter while the unit is suspended for a more urgent one of its own
// process that completes nothing. That one may wait for the unit's work, and calls of the process may wait for it in
// the driver.
int64_t Core::State::starvation_limit(Pass& pass, uint32_t at) {
    const UnitState& state = pass.given.units[at];
    if (!rule_on(Rule::kStarvation)) return 0;
    const int64_t usual_ns = settings.starvation_limit_ns;
    const Urgent urgent = urgent_of(pass, pass.device.answers[pass.device.units[at].place].by);
    if (urgent.unit == nullptr || urgent.unit->process != state.unit.process) return usual_ns;
    pass.device.units[at].inverted = true;
    const int64_t commands_ns = BurstLength::kTimes * urgent.unit->command_ns;
    // If the urgent unit completes nothing for this long while calls of its process wait in the driver, it is assumed
    // to wait for a less urgent unit. Without such calls this takes longer: another stream may write a value that the
    // unit waits for, or an order between streams was not seen.
    const bool calls_wait = state.stuck_since_ns != 0;
    const int64_t seen_ns = calls_wait ? kLateNs + commands_ns : kUnseenNs + 2 * commands_ns;
    // A command that only waits for another unit's work looks like a long command. So the time allowed for it is
    // bounded: without a bound, each such wait would make the next allowed time longer.
    const int64_t limit_ns = std::min(seen_ns, kMostGuessNs);
    const int64_t due_ns = std::max(urgent.progress_ns, state.stuck_since_ns) + limit_ns;
    if (pass.now_ns >= due_ns) return usual_ns > 0 ? std::min(usual_ns, limit_ns) : limit_ns;
    pass.device.due_ns = base::earlier(pass.device.due_ns, due_ns);
    return usual_ns;
}

// Finds the unit with this id. Under a policy that spans devices it may be one of another device, as last seen there.
Core::State::Urgent Core::State::urgent_of(const Pass& pass, uint64_t id) {
    if (const uint32_t at = pass.device.find(id); at != kNowhere)
        return {&pass.given.units[at].unit, pass.given.units[at].progress_ns};
    if (id == 0 || !chooser.spans_devices()) return {};
    for (const auto& [number, device] : history.devices()) {
        const uint32_t at = device.find(id);
        if (at == kNowhere || device.units[at].place == kNowhere) continue;
        return {&device.asked[device.units[at].place], device.units[at].progress_ns};
    }
    return {};
}

// Names in the verdict the unit that another makes room for; an id of another device's unit is left out.
void Core::State::explain_kept_off(const Pass& pass, uint32_t at, Verdict& verdict) const {
    const uint64_t by = pass.device.answers[pass.device.units[at].place].by;
    const uint32_t whom = by != 0 ? pass.device.find(by) : kNowhere;
    if (by != 0 && whom == kNowhere && chooser.spans_devices()) verdict.reason = Reason::kElsewhere;
    if (whom == kNowhere) return;
    const UnitState& other = pass.given.units[whom];
    verdict.by = by;
    verdict.by_at = whom;
    if (verdict.reason == Reason::kLimited || verdict.reason == Reason::kLate) return;
    if (verdict.reason == Reason::kCopiesWait) return;
    if (pass.device.urgency[whom] <= pass.device.urgency[at]) return;
    const bool expected = pass.device.units[whom].expected.at_ns != 0;
    verdict.reason = other.ready ? Reason::kLessUrgent : expected ? Reason::kExpected : Reason::kAnticipation;
}

}  // namespace xsched::sched
