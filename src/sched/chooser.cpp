#include "sched/chooser.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace xsched::sched {

namespace {

// A policy that asks to be called again at once, for ever, must not keep the scheduler spinning.
constexpr int64_t kSoonestWakeNs = 100'000;

std::unique_ptr<policy::Policy> make_hpf() {
    const policy::PolicyInfo* info = policy::find_policy(kPolicyHighestPriorityFirst);
    return info == nullptr ? nullptr : info->make();
}

}  // namespace

void Chooser::set_policy(std::unique_ptr<policy::Policy> policy) {
    policy_ = policy != nullptr ? std::move(policy) : make_hpf();
    thrown_out_[0] = '\0';
}

int64_t Chooser::choose(std::span<const UnitState> given, Memory& memory, const Settings& settings, int64_t now_ns) {
    const Pass pass{.given = given, .memory = memory, .settings = settings, .now_ns = now_ns};
    if (!choose_all(pass)) {
        throw_out(memory);
        choose_all(pass);  // HPF cannot stall
    }
    return wake_at_ns_;
}

// False: the policy has let nobody with work run for too long on some device.
bool Chooser::choose_all(const Pass& pass) {
    wake_at_ns_ = 0;
    choices_.assign(pass.given.size(), policy::Choice{});
    preemptible_.assign(pass.given.size(), 0);
    expected_.assign(pass.given.size(), Expected{});
    imminent_.assign(pass.given.size(), 0);
    bool sound = true;
    for (DeviceMemory& device : pass.memory.devices()) sound &= choose_device(pass, device);
    return sound;
}

bool Chooser::choose_device(const Pass& pass, DeviceMemory& device) {
    gather(pass, device);
    const uint32_t all = device.end - device.begin;
    device.eligible = static_cast<uint32_t>(units_.size());
    device.watched = all > 1 && device.eligible < all;
    if (policy_ != nullptr && !units_.empty()) {
        const int64_t again_ns = policy_->choose(units_, pass.now_ns, answers_);
        if (again_ns > 0) wake(std::max(again_ns, pass.now_ns + kSoonestWakeNs));
        let_run_until_needed(pass);
    }

    bool work = false;
    bool served = false;
    for (size_t i = 0; i < units_.size(); ++i) {
        choices_[at_[i]] = answers_[i];
        work |= pass.given[at_[i]].ready;
        served |= units_[i].wants && answers_[i].run;
        preemptible_[at_[i]] = policy_ != nullptr && policy_->may_suspend(units_, units_[i]);
        device.watched |= preemptible_[at_[i]];
    }

    const bool stalls = device.guard.stalls(work, served, pass.now_ns);
    wake(device.guard.wake_at_ns());
    return !stalls;
}

void Chooser::gather(const Pass& pass, const DeviceMemory& device) {
    units_.clear();
    at_.clear();
    for (uint32_t i = device.begin; i < device.end; ++i) {
        const uint32_t at = pass.memory.order()[i];
        if (!is_eligible(pass.given[at])) continue;
        units_.push_back(pass.given[at].unit);
        at_.push_back(at);
    }
    for (size_t i = 0; i < units_.size(); ++i) {
        units_[i].wants = pass.given[at_[i]].ready || in_grace(pass, at_[i]) || is_expected(pass, at_[i]);
    }
    answers_.assign(units_.size(), policy::Choice{});
}

// Whether the device is still kept for an idle unit. That matters only if somebody less urgent would be let in.
bool Chooser::in_grace(const Pass& pass, uint32_t at) {
    const UnitState& state = pass.given[at];
    const int64_t idle_ns = pass.now_ns - state.idle_since_ns;
    if (state.idle_since_ns <= 0 || idle_ns >= std::max(pass.settings.grace_min_ns, pass.settings.grace_max_ns)) {
        return false;
    }
    bool victim = false;
    int64_t wrong_ns = 0;
    for (size_t i = 0; i < units_.size(); ++i) {
        if (units_[i].priority >= state.unit.priority) continue;
        victim = true;
        // Until it is off the device again: at most for one of its commands, less where that can be interrupted.
        const int64_t off_ns = pass.given[at_[i]].off_ns;
        const int64_t command_ns = units_[i].command_ns;
        const int64_t there_ns = off_ns > 0 ? std::min(off_ns, command_ns) : command_ns;
        // The hardware switches to it and back.
        const bool switches = units_[i].pid != state.unit.pid;
        const int64_t switches_ns = switches ? pass.given[at_[i]].switch_ns + state.switch_ns : 0;
        wrong_ns = std::max(wrong_ns, there_ns + switches_ns);
    }
    if (!victim) return false;
    const int64_t learned_ns = pass.memory.units()[at].grace.length(wrong_ns, pass.settings.grace_max_ns);
    const int64_t grace_ns = std::max(learned_ns, pass.settings.grace_min_ns);
    if (idle_ns >= grace_ns) return false;
    wake(state.idle_since_ns + grace_ns);
    return true;
}

// Whether the device is to be free by now for a burst that an idle unit announced. From when on, depends on who would
// have to be off by then.
bool Chooser::is_expected(const Pass& pass, uint32_t at) {
    const Expected next = pass.memory.units()[at].expectation.next(pass.now_ns);
    if (next.at_ns == 0) return false;
    bool victim = false;
    int64_t off_ns = 0;
    for (size_t i = 0; i < units_.size(); ++i) {
        if (units_[i].priority >= pass.given[at].unit.priority) continue;
        victim = true;
        off_ns = std::max(off_ns, pass.given[at_[i]].off_ns);
    }
    if (!victim) return false;
    const int64_t begin_ns = next.begin_ns(off_ns);
    if (pass.now_ns < begin_ns) {
        wake(begin_ns);
        return false;
    }
    wake(next.until_ns);
    expected_[at] = next;
    const int64_t imminent_ns = next.at_ns - Expectation::kImminentNs;
    if (pass.now_ns < imminent_ns) wake(imminent_ns);
    imminent_[at] = pass.now_ns >= imminent_ns ? 1 : 0;
    return true;
}

// Who is off the device faster than others need not stand as early as they.
void Chooser::let_run_until_needed(const Pass& pass) {
    for (size_t i = 0; i < units_.size(); ++i) {
        if (answers_[i].run) continue;
        const auto by = std::find_if(units_.begin(), units_.end(),
                                     [&](const policy::Unit& unit) { return unit.id == answers_[i].by; });
        if (by == units_.end()) continue;
        const Expected& next = expected_[at_[static_cast<size_t>(by - units_.begin())]];
        const int64_t begin_ns = next.begin_ns(pass.given[at_[i]].off_ns);
        if (next.at_ns == 0 || pass.now_ns >= begin_ns) continue;
        answers_[i] = policy::Choice{};
        wake(begin_ns);
    }
}

void Chooser::throw_out(Memory& memory) {
    std::strncpy(thrown_out_, policy_name(), sizeof(thrown_out_) - 1);
    policy_ = make_hpf();
    for (DeviceMemory& device : memory.devices()) device.guard.reset();
}

}  // namespace xsched::sched
