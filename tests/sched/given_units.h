// Units for the core's tests: a name per field that matters.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/time.h"
#include "sched/core/core.h"

namespace xsched::sched::testing {

inline constexpr int64_t kUs = 1'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr int64_t kStart = 100 * kSecond;  // well after the beginning of the clock

// As an H100 has them.
inline constexpr Costs kGpu{
    .switch_us = 175, .off_us = 700, .most_off_us = 3000, .effect_us = 300, .interrupt_us = 500};

struct Given {
    uint64_t id = 0;
    int32_t priority = 0;
    bool ready = false;
    int64_t ready_since_ns = 0;
    int64_t idle_since_ns = 0;
    uint64_t device = 1;
    int64_t command_ns = kMs;
    bool suspended_by_person = false;
    int64_t gang = 0;
    uint32_t level = 0;
    uint64_t completed = 0;
    uint64_t copies = 0;
    bool keeps_alive = false;
    int64_t holds_until_ns = 0;
    int64_t expect_ns = 0;
    uint64_t process = 0;  // 0: one of its own
    Costs costs;

    uint64_t process_or_own() const { return process != 0 ? process : id; }
    policy::Unit facts() const {
        policy::Unit unit;
        unit.id = id;
        unit.gang = gang;
        unit.device = device;
        unit.pid = static_cast<int32_t>(id);
        unit.process = process_or_own();
        unit.priority = priority;
        unit.expect_ns = expect_ns;
        unit.ready_since_ns = ready_since_ns;
        unit.command_ns = command_ns;
        return unit;
    }
    operator UnitState() const {
        return {.unit = facts(),
                .ready = ready,
                .suspended_by_person = suspended_by_person,
                .keeps_alive = keeps_alive,
                .holds_until_ns = holds_until_ns,
                .level = level,
                .group = process_or_own(),
                .completed = completed,
                .copies = copies,
                .idle_since_ns = idle_since_ns,
                .costs = costs};
    }
};

// The scheduler core, asked in each step about all devices and all units, without hints about what has changed.
class WholeCore {
public:
    struct Plan {
        std::vector<Verdict> verdicts;  // one per unit given, same order
        int64_t wake_at_ns = 0;
    };

    explicit WholeCore(Core core) : core_(std::move(core)) {}

    const Plan& decide(std::span<const UnitState> units, int64_t now_ns) {
        std::map<uint64_t, std::vector<uint32_t>> devices;
        for (const uint64_t device : known_) devices[device];
        for (uint32_t i = 0; i < units.size(); ++i) devices[units[i].unit.device].push_back(i);
        plan_.verdicts.assign(units.size(), Verdict{});
        plan_.wake_at_ns = 0;
        known_.clear();
        for (const auto& [device, members] : devices) {
            if (members.empty()) {
                core_.forget(device);
                continue;
            }
            known_.push_back(device);
            std::vector<UnitState> given;
            for (const uint32_t at : members) given.push_back(units[at]);
            const sched::Plan plan = core_.decide({.device = device, .units = given}, now_ns);
            for (size_t i = 0; i < members.size(); ++i) plan_.verdicts[members[i]] = plan.verdicts[i];
            plan_.wake_at_ns = base::earlier(plan_.wake_at_ns, plan.wake_at_ns);
        }
        const bool settled = core_.affected().empty() || ++rounds_ > kMostRounds;
        core_.affected().clear();
        if (!settled) return decide(units, now_ns);
        rounds_ = 0;
        return plan_;
    }
    void set_policy(std::unique_ptr<policy::Policy> policy) { core_.set_policy(std::move(policy)); }
    Waits& waits() { return core_.waits(); }
    const char* policy_name() const { return core_.policy_name(); }
    const char* thrown_out() const { return core_.thrown_out(); }

private:
    Core core_;
    static constexpr int kMostRounds = 8;
    Plan plan_;
    std::vector<uint64_t> known_;
    int rounds_ = 0;
};

// Settings for tests whose units never complete anything: the claim limit, after which the scheduler stops believing
// such a unit, is off.
inline constexpr Settings kBelieving{.claim_limit_ns = 0};

inline WholeCore hpf_core(Settings settings = kBelieving) {
    return WholeCore(Core(policy::find_policy("HPF")->make(), settings));
}

}  // namespace xsched::sched::testing
