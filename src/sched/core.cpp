#include "sched/core.h"

#include <algorithm>
#include <utility>

#include "sched/chooser.h"
#include "sched/memory.h"

namespace xsched::sched {

namespace {

// An urgent unit that completes nothing for so long, and so many of its commands, may wait for a less urgent one: while
// calls of its process stand in the driver, and otherwise (a value that another stream writes, an order between streams
// that was not seen).
constexpr int64_t kInversionNs = 2'000'000;
constexpr int64_t kInversionCommands = 2;
constexpr int64_t kUnseenInversionNs = 20'000'000;
constexpr int64_t kUnseenInversionCommands = 4;

}  // namespace

struct Core::State {
    Settings settings;
    Chooser chooser;
    Memory memory;
    Plan plan;
    int64_t now_ns = 0;
    int64_t last_ns = 0;  // of the decision before

    void judge_device(std::span<const UnitState> given, const DeviceMemory& device);
    void judge_eligible(std::span<const UnitState> given, uint32_t at, bool alone, Verdict& verdict);
    void explain_kept_off(std::span<const UnitState> given, const DeviceMemory& device, uint32_t at, Verdict& verdict);
    int64_t starvation_limit(std::span<const UnitState> given, uint32_t at);
    void note(const UnitState& state, UnitMemory& known, Verdict& verdict) const;
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
    for (DeviceMemory& device : state_->memory.devices()) device.guard.reset();
}

const char* Core::policy_name() const { return state_->chooser.policy_name(); }
const char* Core::thrown_out() const { return state_->chooser.thrown_out(); }

const Plan& Core::decide(std::span<const UnitState> units, int64_t now_ns) {
    State& state = *state_;
    state.last_ns = state.now_ns;
    state.now_ns = std::max(now_ns, state.now_ns);
    state.memory.follow(units, state.now_ns);
    for (size_t i = 0; i < units.size(); ++i) {
        state.memory.units()[i].grace.observe(units[i].ready, units[i].unit.ready_since_ns, units[i].idle_since_ns);
        state.memory.units()[i].expectation.observe(units[i].expect_ns, units[i].period_ns,
                                                    units[i].unit.ready_since_ns);
    }
    state.plan.wake_at_ns = state.chooser.choose(units, state.memory, state.settings, state.now_ns);
    state.plan.verdicts.assign(units.size(), Verdict{});
    for (const DeviceMemory& device : state.memory.devices()) state.judge_device(units, device);
    return state.plan;
}

void Core::State::judge_device(std::span<const UnitState> given, const DeviceMemory& device) {
    for (uint32_t i = device.begin; i < device.end; ++i) {
        const uint32_t at = memory.order()[i];
        UnitMemory& known = memory.units()[at];
        Verdict& verdict = plan.verdicts[at];
        verdict.id = given[at].unit.id;
        verdict.contended = device.end - device.begin > 1;
        verdict.preemptible = chooser.preemptible(at);
        verdict.watched = device.watched;
        verdict.imminent = chooser.imminent(at);
        if (is_eligible(given[at])) {
            judge_eligible(given, at, device.eligible == 1, verdict);
            if (verdict.suspend) explain_kept_off(given, device, at, verdict);
        } else {
            verdict.suspend = true;
            verdict.reason = given[at].held ? Reason::kHeld : Reason::kNoExecute;
            known.starvation.reset(now_ns);
        }
        note(given[at], known, verdict);
    }
}

void Core::State::judge_eligible(std::span<const UnitState> given, uint32_t at, bool alone, Verdict& verdict) {
    const UnitState& state = given[at];
    const Starvation::Work work{.ready = state.ready,
                                .ready_since_ns = state.unit.ready_since_ns,
                                .command_ns = state.unit.command_ns};
    Starvation& starvation = memory.units()[at].starvation;
    if (chooser.choice(at).run) {
        starvation.runs(work, now_ns);
        verdict.reason = alone ? Reason::kAlone : Reason::kChosen;
        return;
    }
    const StarvationLimits limits{.limit_ns = starvation_limit(given, at), .turn_ns = settings.starvation_turn_ns};
    const bool has_turn = starvation.kept_off(work, limits, now_ns);
    plan.wake_at_ns = earlier(plan.wake_at_ns, starvation.wake_at_ns(limits));
    verdict.suspend = !has_turn;
    verdict.reason = has_turn ? Reason::kStarved : Reason::kNotItsTurn;
}

// 0: none. Shorter while the more urgent unit of its process, for which it stands, gets no further: perhaps for the unit's
// work, for which calls of the process may stand in the driver.
int64_t Core::State::starvation_limit(std::span<const UnitState> given, uint32_t at) {
    const UnitState& state = given[at];
    const int64_t usual_ns = settings.starvation_limit_ns;
    const uint64_t by = chooser.choice(at).by;
    const auto found = std::find_if(given.begin(), given.end(), [by](const UnitState& it) { return it.unit.id == by; });
    if (found == given.end() || found->unit.pid != state.unit.pid) return usual_ns;
    const bool calls_stand = state.stuck_since_ns != 0;
    const int64_t limit_ns = calls_stand ? kInversionNs + kInversionCommands * found->unit.command_ns
                                         : kUnseenInversionNs + kUnseenInversionCommands * found->unit.command_ns;
    const int64_t due_ns = std::max(found->progress_ns, state.stuck_since_ns) + limit_ns;
    if (now_ns >= due_ns) return usual_ns > 0 ? std::min(usual_ns, limit_ns) : limit_ns;
    plan.wake_at_ns = earlier(plan.wake_at_ns, due_ns);
    return usual_ns;
}

// Who it makes room for; an id of the policy's that is none of this device's units is left out.
void Core::State::explain_kept_off(std::span<const UnitState> given, const DeviceMemory& device, uint32_t at,
                                   Verdict& verdict) {
    const uint64_t by = chooser.choice(at).by;
    if (by == 0) return;
    for (uint32_t i = device.begin; i < device.end; ++i) {
        const uint32_t whom = memory.order()[i];
        const UnitState& other = given[whom];
        if (other.unit.id != by) continue;
        verdict.by = by;
        if (other.unit.priority <= given[at].unit.priority) return;
        verdict.reason = other.ready               ? Reason::kLessUrgent
                         : chooser.expected(whom) ? Reason::kExpected
                                                  : Reason::kGrace;
        return;
    }
}

// Compares with the verdict before and keeps the accounts.
void Core::State::note(const UnitState& state, UnitMemory& known, Verdict& verdict) const {
    if (known.suspended && state.ready) {
        known.kept_off_ns += now_ns - std::clamp(state.unit.ready_since_ns, last_ns, now_ns);
    }
    if (verdict.suspend || known.suspended) verdict.delay_ns = known.kept_off_ns;
    if (verdict.suspend != known.suspended) {
        known.suspended = verdict.suspend;
        known.since_ns = now_ns;
        known.kept_off_ns = 0;
        verdict.changed = true;
        if (verdict.suspend) verdict.delay_ns = 0;
    }
    verdict.since_ns = known.since_ns;
}

}  // namespace xsched::sched
