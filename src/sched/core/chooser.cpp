#include "sched/core/chooser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sched/facts/rule_on.h"
#include "sched/facts/times.h"
#include "sched/mechanism/losses.h"
#include "sched/order/beside.h"
#include "sched/order/foreseen.h"

namespace xsched::sched {

namespace {

std::unique_ptr<policy::Policy> make_hpf() {
    const policy::PolicyInfo* info = policy::find_policy(kPolicyHighestPriorityFirst);
    return info == nullptr ? nullptr : info->make();
}

// Returns what it costs if the unit gets the device by mistake: how long it runs until it is off again (at most one
// command, less if it can be interrupted), and the switches.
Cost cost_of(const UnitState& state) {
    const int64_t command_ns = state.unit.command_ns;
    const int64_t off_ns = stop_ns(state.level, command_ns, state.costs);
    return {.there_ns = std::min(off_ns, command_ns), .switch_ns = state.costs.switch_ns(), .off_ns = off_ns};
}

void sum_up_costs(DeviceHistory& device) {
    std::fill(device.less_urgent.begin(), device.less_urgent.end(), LessUrgent{});
    for (uint32_t place = 0; place < device.eligible.size(); ++place) {
        // Adds the unit's cost to the sum of the next rank. The loop below adds each rank's sum to the ranks above.
        const uint32_t above = device.ranks.of(place) + 1;
        if (above >= device.ranks.count()) continue;
        const Cost& cost = device.costs[place];
        const uint64_t process = device.asked[place].process;
        LessUrgent& sum = device.less_urgent[above];
        sum.processes.add(process);
        sum.there_ns = std::max(sum.there_ns, cost.there_ns);
        sum.there_and_switch_ns.add(process, cost.there_ns + cost.switch_ns);
        sum.off_ns = std::max(sum.off_ns, cost.off_ns);
    }
    for (uint32_t rank = 1; rank < device.ranks.count(); ++rank)
        device.less_urgent[rank].add(device.less_urgent[rank - 1]);
    device.costs_changed = false;
}

}  // namespace

void Chooser::set_policy(std::unique_ptr<policy::Policy> policy) {
    accounts();
    policy_ = policy != nullptr ? std::move(policy) : make_hpf();
    if (policy_ != nullptr) policy_->take_over(accounts_);
    thrown_out_[0] = '\0';
    ++policy_number_;
}

const std::vector<policy::Ahead>& Chooser::accounts() {
    if (policy_ != nullptr) policy_->hand_over(accounts_);
    return accounts_;
}

void Chooser::take_over(std::span<const policy::Ahead> accounts) {
    accounts_.assign(accounts.begin(), accounts.end());
    if (policy_ != nullptr) policy_->take_over(accounts_);
}

bool Chooser::choose(Pass& pass) {
    DeviceHistory& device = pass.device;
    see_units(pass);
    gangs_.meet(pass);
    if (pass.all && policy_ != nullptr) mark_preemptible(pass);
    if (device.claims_due_ns != 0 && pass.now_ns >= device.claims_due_ns) device.settle_claims();
    device.expected.clear();
    size_t kept = 0;
    for (size_t i = 0; i < device.timed.size(); ++i) {
        const uint32_t place = device.timed[i];
        settle_wish(pass, place);
        if (pass.history(place).timed) device.timed[kept++] = place;
    }
    device.timed.resize(kept);
    pass.wake(device.claims_due_ns);
    std::sort(device.expected.begin(), device.expected.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });

    gangs_.count(pass);
    gangs_.begin_asking(pass);
    const size_t count = device.eligible.size();
    if (policy_ != nullptr && count != 0) ask_policy(pass);
    // If no unit of this device may run, a policy that spans devices forgets the device, so that units on other
    // devices do not make room for its units.
    if (policy_ != nullptr && count == 0 && policy_->spans_devices()) policy_->forget(pass.given.device);
    // If the policy's answers about other devices have become outdated, decide those devices again.
    if (policy_ != nullptr && std::exchange(across_, policy_->across()) != policy_->across()) ++policy_number_;
    if (pass.all && count != 0) {
        rank(pass);
        take_notes(pass);
    }
    if (waits_.any()) waits_.run_for_waiting(pass);
    gangs_.answer(pass);
    const bool stalled = stalls(pass);
    gangs_.end_asking(pass);
    return !stalled && !breaks_its_word();
}

void Chooser::see_units(Pass& pass) const {
    DeviceHistory& device = pass.device;
    const uint32_t limited = device.limited;
    if (!pass.all)
        for (const uint32_t at : pass.given.changed)
            if (const uint32_t place = device.units[at].place; place != kNowhere) see(pass, place);
    // Any limit on a device makes all its units preemptible: if the number of limited units has changed, see them all.
    pass.all |= device.limited != limited;
    if (pass.all)
        for (uint32_t place = 0; place < device.eligible.size(); ++place) see(pass, place);
}

void Chooser::mark_preemptible(Pass& pass) {
    DeviceHistory& device = pass.device;
    std::fill(device.preemptible.begin(), device.preemptible.end(), uint8_t{0});
    policy_->mark_preemptible(device.asked, device.preemptible);
    gangs_.mark_preemptible(pass);
    if (device.limited != 0)  // the use of others must be known as well: they may share a limit
        std::fill(device.preemptible.begin(), device.preemptible.end(), uint8_t{1});
    const auto zeros = std::count(device.preemptible.begin(), device.preemptible.end(), uint8_t{0});
    device.preemptible_count = static_cast<uint32_t>(device.preemptible.size() - static_cast<size_t>(zeros));
}

// Asks the policy about the eligible units. Units that have used up their limit are shown as wanting nothing.
void Chooser::ask_policy(Pass& pass) {
    DeviceHistory& device = pass.device;
    const bool limits = device.limited != 0 || device.limits.holds_limits();
    const int64_t limits_again_ns = limits ? device.limits.begin_asking(device.asked, pass.now_ns) : 0;
    std::fill(device.answers.begin(), device.answers.end(), policy::Choice{});
    std::fill(device.answered_by.begin(), device.answered_by.end(), By::kPolicy);
    const int64_t again_ns = base::earlier(limits_again_ns, policy_->choose(device.asked, pass.now_ns, device.answers));
    // A policy that always wants to be asked again at once is asked every kWakeNs: the scheduler must not spin.
    if (again_ns > 0) pass.wake(std::max(again_ns, pass.now_ns + kWakeNs));
    if (!device.expected.empty()) let_run_until_needed(pass);
    if (limits) device.limits.end_asking(device.asked, device.answers);
}

// Ranks the units: which may have which suspended. Units that may not run anyway come below all others.
void Chooser::rank(Pass& pass) const {
    DeviceHistory& device = pass.device;
    std::fill(device.ranked.begin(), device.ranked.end(), 0);
    const bool ranks = policy_ == nullptr || policy_->rank(device.asked, device.ranked);
    if (ranks) gangs_.rank_as_one(pass);
    const int32_t least = device.ranked.empty() ? 0 : *std::min_element(device.ranked.begin(), device.ranked.end());
    bool changed = false;
    for (uint32_t at = 0; at < device.urgency.size(); ++at) {
        const uint32_t place = device.units[at].place;
        int32_t urgency = place != kNowhere ? device.asked[place].priority : pass.given.units[at].unit.priority;
        if (ranks) urgency = place != kNowhere ? device.ranked[place] : least;
        changed |= std::exchange(device.urgency[at], urgency) != urgency;
    }
    if (changed) device.rank_anew();
}

// Takes in the core's facts about a unit that may have changed.
void Chooser::see(Pass& pass, uint32_t place) {
    DeviceHistory& device = pass.device;
    const UnitState& state = pass.unit(place);
    UnitHistory& known = pass.history(place);
    const bool wants = device.asked[place].wants;
    device.limited -= policy::Limits::limits(device.asked[place]) ? 1 : 0;
    device.asked[place] = state.unit;
    device.limited += policy::Limits::limits(state.unit) ? 1 : 0;
    device.asked[place].wants = wants;
    device.asked[place].ready = state.ready;
    device.ready[place] = state.ready ? 1 : 0;
    const Cost cost = cost_of(state);
    Cost& last = device.costs[place];
    if (pass.all || last != cost) {
        last = cost;
        device.costs_changed = true;
    }
    known.progress_ns = state.progress_ns;
    const int64_t ready_ns = state.unit.ready_since_ns;
    note_held(known, known.period.observe(ready_ns, state.idle_since_ns));
    see_burst_beside(pass, place);
    repay_foreseen(device, known, ready_ns);
    // If the unit came back while the device was kept for it in advance, that precaution is refunded.
    LongerPause& pause = known.longer_pause;
    if (pause.taken_ns != 0 && ready_ns > pause.idle_since_ns && ready_ns <= pause.until_ns)
        device.budget.precautions.give_back(std::exchange(pause.taken_ns, 0));
    known.anticipation.observe(state.ready, state.unit.ready_since_ns, state.idle_since_ns);
    known.expectation.observe(state.unit.expect_ns, state.unit.period_us * 1000, state.unit.ready_since_ns);
    known.claim.observe(state.ready && !known.suspended, state.completed, state.stopped, pass.now_ns);
    known.dirty = true;
    if (std::exchange(known.timed, true)) return;
    device.timed.push_back(place);
}

// Determines whether the unit wants the device now, and whether that may change by itself.
void Chooser::settle_wish(Pass& pass, uint32_t place) {
    const UnitState& state = pass.unit(place);
    UnitHistory& known = pass.history(place);
    known.timed = false;
    known.expected = {};
    const int64_t held_until_ns = std::exchange(known.hold_until_ns, 0);
    const bool held_to_end = std::exchange(known.hold_to_end, false);
    known.hold_behind_ns = 0;
    bool wants = false;
    bool claims = false;
    if (state.ready) {
        const int64_t limit_ns = pass.settings.claim_limit_ns;
        if (known.claim.due_ns(limit_ns) != 0) {
            known.claim.observe(!known.suspended, state.completed, state.stopped, pass.now_ns);
            known.dirty |= known.claim.suspect();  // its verdict tells that
            const int64_t due_ns = known.claim.due_ns(limit_ns);
            claims = due_ns != 0 && pass.claim_matters(place);
            if (claims) pass.device.claim_until(place, due_ns);
        }
        wants = known.claim.believed(limit_ns) || !rule_on(Rule::kClaim);
    }
    if (!claims) pass.device.claims_no_more(place);
    wants = wants || anticipated(pass, place);
    if (wants)
        foresee_end(pass, place);
    else
        wants = is_expected(pass, place);
    if (std::exchange(pass.device.asked[place].wants, wants) != wants) known.dirty = true;
    if (known.hold_until_ns != held_until_ns || known.hold_to_end != held_to_end) known.dirty = true;
}

// Returns the less urgent units on the device; null if there are none.
const LessUrgent* Chooser::less_urgent(Pass& pass, uint32_t place) {
    if (pass.device.ranks.of(place) == 0) return nullptr;
    if (pass.device.costs_changed) sum_up_costs(pass.device);
    return &pass.device.less_urgent[pass.device.ranks.of(place)];
}

// Returns whether the device is still kept for an idle unit. That matters only if a less urgent unit would be let in.
bool Chooser::anticipated(Pass& pass, uint32_t place) {
    const UnitState& state = pass.unit(place);
    const int64_t idle_ns = pass.now_ns - state.idle_since_ns;
    const int64_t most_ns = std::max(pass.settings.anticipation_min_ns, pass.settings.anticipation_max_ns);
    if (!rule_on(Rule::kAnticipation) || state.idle_since_ns <= 0 || idle_ns >= most_ns) return false;
    const LessUrgent* victims = less_urgent(pass, place);
    if (victims == nullptr) return false;
    int64_t wrong_ns = victims->there_ns;
    // A victim of another process also costs a switch to it and a switch back.
    if (victims->processes.any_but(state.unit.process))
        wrong_ns =
            std::max(wrong_ns, victims->there_and_switch_ns.but_of(state.unit.process) + state.costs.switch_ns());
    const int64_t longest_ns = pass.settings.anticipation_max_ns;
    const int64_t learned_ns = pass.history(place).anticipation.length(wrong_ns, longest_ns);
    const int64_t newcomer_ns = Anticipation::newcomer_length(wrong_ns, longest_ns);
    const int64_t anticipation_ns =
        std::max(longer_pause(pass, place, learned_ns, newcomer_ns), pass.settings.anticipation_min_ns);
    if (idle_ns >= anticipation_ns) {
        // Look at the unit again later: with a victim of longer commands the device is worth keeping for longer.
        pass.history(place).timed = true;
        return false;
    }
    pass.history(place).timed = true;
    pass.wake(state.idle_since_ns + anticipation_ns);
    return true;
}

// Returns a pause longer than the learned one, for a newcomer or after a surprise: the learned pause may no longer
// hold. It is paid for in advance, once per pause.
int64_t Chooser::longer_pause(Pass& pass, uint32_t place, int64_t learned_ns, int64_t newcomer_ns) {
    if (!rule_on(Rule::kLongerPause)) return learned_ns;
    const int64_t idle_since_ns = pass.unit(place).idle_since_ns;
    UnitHistory& known = pass.history(place);
    LongerPause& pause = known.longer_pause;
    if (pause.idle_since_ns != idle_since_ns) {
        const int64_t wanted_ns = known.anticipation.unsure() ? newcomer_ns : std::min(newcomer_ns, kLookNs);
        const int64_t more_ns = std::max<int64_t>(wanted_ns - learned_ns, 0);
        const bool taken = more_ns > 0 && pass.device.budget.precautions.take(more_ns, pass.now_ns);
        pause = {.idle_since_ns = idle_since_ns,
                 .taken_ns = taken ? more_ns : 0,
                 .until_ns = taken ? idle_since_ns + wanted_ns : 0};
    }
    return std::max(learned_ns, pause.until_ns - idle_since_ns);
}

// Returns whether the device must be free by now for an announced or foreseen burst of an idle unit. How early depends
// on which units would have to be off by then.
bool Chooser::is_expected(Pass& pass, uint32_t place) {
    UnitHistory& known = pass.history(place);
    const Expected told = rule_on(Rule::kAnnounced) ? known.expectation.next(pass.now_ns) : Expected{};
    const Expected rhythm = told.at_ns == 0 ? rhythm_of(pass, place) : Expected{};
    if (told.at_ns == 0 && rhythm.at_ns == 0) return false;
    known.timed = true;
    const LessUrgent* victims = less_urgent(pass, place);
    if (victims == nullptr) return false;
    const Expected next = told.at_ns != 0 ? told : foresee(pass, place, rhythm, victims->off_ns);
    if (next.at_ns == 0) return false;
    const int64_t begin_ns = next.begin_ns(victims->off_ns);
    if (pass.now_ns < begin_ns) {
        pass.wake(begin_ns);
        return false;
    }
    pass.wake(next.until_ns);
    known.expected = next;
    pass.device.expected.emplace_back(pass.unit(place).unit.id, next);
    const int64_t imminent_ns = next.at_ns - Foreseen::prepares_ns(pass.unit(place).costs);
    if (pass.now_ns < imminent_ns) pass.wake(imminent_ns);
    known.dirty = true;
    return true;
}

// Lets units that make room for an expected burst run until they must begin to leave the device. Only the most urgent
// of these units run: the others make room for them, as if no burst were expected.
void Chooser::let_run_until_needed(Pass& pass) {
    DeviceHistory& device = pass.device;
    const auto suspended_from_ns = [&](uint32_t place) -> int64_t {
        const policy::Choice& answer = device.answers[place];
        if (answer.run) return 0;
        const auto by = std::lower_bound(device.expected.begin(), device.expected.end(), answer.by,
                                         [](const auto& entry, uint64_t id) { return entry.first < id; });
        if (by == device.expected.end() || by->first != answer.by) return 0;
        const int64_t begin_ns = by->second.begin_ns(device.costs[place].off_ns);
        return pass.now_ns < begin_ns ? begin_ns : 0;
    };
    int32_t most = INT32_MIN;
    for (uint32_t place = 0; place < device.answers.size(); ++place)
        if (device.asked[place].wants && suspended_from_ns(place) != 0)
            most = std::max(most, device.urgency[device.eligible[place]]);
    for (uint32_t place = 0; place < device.answers.size(); ++place) {
        const int64_t begin_ns = suspended_from_ns(place);
        if (begin_ns == 0) continue;
        pass.wake(begin_ns);
        if (device.urgency[device.eligible[place]] >= most) device.answer(place, By::kAnnounced, {});
    }
}

void Chooser::take_notes(Pass& pass) const {
    DeviceHistory& device = pass.device;
    std::fill(device.notes.begin(), device.notes.end(), policy::Note{});
    const bool tells = policy_ != nullptr && policy_->tell(device.asked, device.notes);
    if (!std::exchange(device.has_notes, tells) && !tells) return;
    for (uint32_t place = 0; place < device.notes.size(); ++place) {
        const uint32_t at = device.eligible[place];
        if (device.verdicts[at].note.is_about(device.notes[place])) continue;
        device.verdicts[at].note = device.notes[place];
        device.note_changed(at);
    }
}

// Returns whether the policy has chosen no unit that wants the device for the watchdog's whole time, although some unit
// has had work throughout.
bool Chooser::stalls(Pass& pass) {
    DeviceHistory& device = pass.device;
    bool work = false;
    bool served = false;
    for (size_t i = 0; i < device.eligible.size() && !(work && served); ++i) {
        const policy::Choice& answer = device.answers[i];
        work |= device.ready[i] != 0 && device.asked[i].wants && (answer.run || answer.why != policy::Why::kLimited);
        served |= device.asked[i].wants && answer.run;
    }
    device.serves = served;
    const bool stalls = device.watchdog.stalls(work, served, pass.now_ns);
    pass.wake(device.watchdog.wake_at_ns());
    return stalls;
}

void Chooser::throw_out() {
    std::strncpy(thrown_out_, policy_name(), sizeof(thrown_out_) - 1);
    why_thrown_out_ = breaks_its_word() ? policy_->breach() : "let no unit with work run for a second";
    accounts();
    policy_ = make_hpf();
    ++policy_number_;
}

}  // namespace xsched::sched
