// The policy says which unit may have which suspended, not the priorities: preparations follow that.
#include <gtest/gtest.h>

#include "sched/core/core.h"
#include "sched/given_units.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

UnitState at_level_3(uint64_t id, int32_t priority, int64_t deadline_us = 0) {
    UnitState state = Given{.id = id, .priority = priority, .ready = true, .command_ns = 5 * kMs};
    state.unit.deadline_us = deadline_us;
    state.unit.ready_since_ns = kStart;
    state.level = kPreemptLevelInterrupt;
    state.costs = kGpu;
    return state;
}

WholeCore core_with(const char* policy) { return WholeCore(Core(policy::find_policy(policy)->make(), kBelieving)); }

// If the policy lets a less urgent unit run beside a more urgent one, that unit keeps the driver's timeslice: in a
// timeslice of a microsecond it would get nothing.
TEST(Urgency, WhoRunsSideBySideKeepsItsTimeslice) {
    const std::vector<UnitState> units{at_level_3(1, 2), at_level_3(2, -1)};
    for (const char* policy : {"KEDF", "CHPF", "AWF"}) {
        WholeCore core = core_with(policy);
        for (const Verdict& verdict : core.decide(units, kStart).verdicts) {
            EXPECT_FALSE(verdict.suspend) << policy;
            EXPECT_EQ(verdict.preemption.timeslice_us, 0U) << policy << ", unit " << verdict.id;
        }
    }
    EXPECT_TRUE(core_with("HPF").decide(units, kStart).verdicts[1].suspend);
}

TEST(Urgency, WithADeadlineItMayInterruptWhateverThePriorities) {
    const std::vector<UnitState> units{at_level_3(1, 2), at_level_3(2, -1, 20'000)};
    const auto verdicts = core_with("KEDF").decide(units, kStart).verdicts;
    EXPECT_TRUE(verdicts[0].suspend);
    EXPECT_EQ(verdicts[0].reason, Reason::kLessUrgent);
    EXPECT_TRUE(interrupts(verdicts[0].preemption.mechanism));
    EXPECT_TRUE(verdicts[1].preemption.has_victims);
}

// If other units made room for a unit that a person suspended, their device would stand still until the policy is
// replaced.
TEST(Urgency, NobodyElsewhereIsSuspendedForWhoIsHeldByAPerson) {
    WholeCore core = core_with("HHPF");
    std::vector<UnitState> units{at_level_3(1, 2), at_level_3(2, -1)};
    units[1].unit.device = 2;
    core.decide(units, kStart);
    EXPECT_TRUE(core.decide(units, kStart + kMs).verdicts[1].suspend);
    units[0].suspended_by_person = true;
    core.decide(units, kStart + 2 * kMs);
    EXPECT_FALSE(core.decide(units, kStart + 3 * kMs).verdicts[1].suspend);
    units[0].suspended_by_person = false;
    core.decide(units, kStart + 4 * kMs);
    EXPECT_TRUE(core.decide(units, kStart + 5 * kMs).verdicts[1].suspend);
}

TEST(Urgency, WhatThePolicyHoldsOfAUnitGoesWithItsVerdict) {
    const std::vector<UnitState> units{at_level_3(1, 0), at_level_3(2, 0)};
    WholeCore core = core_with("AUTO");
    for (const Verdict& verdict : core.decide(units, kStart).verdicts)
        EXPECT_EQ(verdict.note.code, policy::NoteCode::kNotKnown) << verdict.id;
    core.set_policy(policy::find_policy("HPF")->make());
    for (const Verdict& verdict : core.decide(units, kStart + kMs).verdicts) EXPECT_EQ(verdict.note, policy::Note{});
}

TEST(Urgency, ItFollowsAChangeOfPolicy) {
    const std::vector<UnitState> units{at_level_3(1, 2), at_level_3(2, -1)};
    WholeCore core = core_with("HPF");
    EXPECT_TRUE(interrupts(core.decide(units, kStart).verdicts[1].preemption.mechanism));
    core.set_policy(policy::find_policy("CFS")->make());
    for (const Verdict& verdict : core.decide(units, kStart + kMs).verdicts)
        EXPECT_FALSE(verdict.preemption.has_victims);
    core.set_policy(policy::find_policy("HPF")->make());
    EXPECT_TRUE(core.decide(units, kStart + 2 * kMs).verdicts[0].preemption.has_victims);
}

}  // namespace
}  // namespace xsched::sched
