#include "sched/core/core.h"

#include <gtest/gtest.h>

#include <vector>

#include "sched/given_units.h"
#include "sched/pattern/anticipation.h"
#include "sched/pattern/stall_watchdog.h"

namespace xsched::sched {
namespace {

using namespace testing;

class CoreTest : public ::testing::Test {
protected:
    const WholeCore::Plan& decide(std::vector<UnitState> units, int64_t at_ns) {
        units_ = std::move(units);
        return core.decide(units_, at_ns);
    }
    WholeCore core = hpf_core();

private:
    std::vector<UnitState> units_;
};

TEST_F(CoreTest, NobodyCompetes) {
    const WholeCore::Plan& plan = decide({Given{.id = 1, .ready = true, .ready_since_ns = kStart}}, kStart);
    ASSERT_EQ(plan.verdicts.size(), 1U);
    EXPECT_EQ(plan.verdicts[0].id, 1U);
    EXPECT_FALSE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kAlone);
    EXPECT_FALSE(plan.verdicts[0].watched);
    EXPECT_FALSE(plan.verdicts[0].preemptible);
    EXPECT_EQ(plan.wake_at_ns, 0);
}

TEST_F(CoreTest, NoUnitsNoVerdicts) {
    EXPECT_TRUE(decide({}, kStart).verdicts.empty());
    EXPECT_EQ(decide({}, kStart + 1).wake_at_ns, 0);
}

TEST_F(CoreTest, TheLessUrgentMakesRoomAndSaysForWhom) {
    const WholeCore::Plan& plan = decide({Given{.id = 1, .priority = 0, .ready = true, .ready_since_ns = kStart},
                                          Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}},
                                         kStart + 5);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kLessUrgent);
    EXPECT_EQ(plan.verdicts[0].by, 2U);
    EXPECT_EQ(plan.verdicts[0].since_ns, kStart + 5);
    EXPECT_TRUE(plan.verdicts[0].preemptible);
    EXPECT_FALSE(plan.verdicts[1].suspend);
    EXPECT_EQ(plan.verdicts[1].reason, Reason::kChosen);
    EXPECT_EQ(plan.verdicts[1].by, 0U);
    EXPECT_FALSE(plan.verdicts[1].preemptible);
    for (const Verdict& verdict : plan.verdicts) EXPECT_TRUE(verdict.watched);
}

TEST_F(CoreTest, DevicesDoNotMindEachOther) {
    const WholeCore::Plan& plan = decide({Given{.id = 1, .priority = 0, .ready = true, .device = 7},
                                          Given{.id = 2, .priority = 10, .ready = true, .device = 8},
                                          Given{.id = 3, .priority = 5, .ready = true, .device = 7}},
                                         kStart);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].by, 3U);
    EXPECT_EQ(plan.verdicts[1].reason, Reason::kAlone);
    EXPECT_FALSE(plan.verdicts[2].suspend);
}

TEST_F(CoreTest, EqualsNeedNotBeWatched) {
    const WholeCore::Plan& plan = decide({Given{.id = 1, .ready = true}, Given{.id = 2, .ready = true}}, kStart);
    for (const Verdict& verdict : plan.verdicts) {
        EXPECT_FALSE(verdict.suspend);
        EXPECT_FALSE(verdict.watched);
        EXPECT_FALSE(verdict.preemptible);
    }
}

TEST_F(CoreTest, AChangeIsToldOnceWithItsTime) {
    const std::vector<UnitState> both{Given{.id = 1, .ready = true, .ready_since_ns = kStart},
                                      Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}};
    EXPECT_EQ(decide(both, kStart).verdicts[0].since_ns, kStart);
    const WholeCore::Plan& plan = decide(both, kStart + kMs);
    EXPECT_EQ(plan.verdicts[0].since_ns, kStart);
}

TEST_F(CoreTest, HeldIsAlwaysOffAndKeepsNobodyOff) {
    const WholeCore::Plan& plan = decide({Given{.id = 1, .priority = 10, .ready = true, .suspended_by_person = true},
                                          Given{.id = 2, .priority = 0, .ready = true}},
                                         kStart);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kHeld);
    EXPECT_EQ(plan.verdicts[0].by, 0U);
    EXPECT_FALSE(plan.verdicts[1].suspend);
    EXPECT_TRUE(plan.verdicts[1].watched);
}

TEST_F(CoreTest, HeldStaysOffBeyondTheStarvationLimit) {
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .suspended_by_person = true}};
    EXPECT_EQ(decide(units, kStart).wake_at_ns, 0);
    EXPECT_TRUE(decide(units, kStart + 100 * kSecond).verdicts[0].suspend);
}

TEST_F(CoreTest, NoExecuteIsAlwaysOff) {
    const std::vector<UnitState> units{Given{.id = 1, .priority = PRIORITY_NO_EXECUTE, .ready = true}};
    EXPECT_EQ(decide(units, kStart).verdicts[0].reason, Reason::kNoExecute);
    EXPECT_TRUE(decide(units, kStart + 100 * kSecond).verdicts[0].suspend);
    EXPECT_FALSE(
        decide({Given{.id = 1, .priority = PRIORITY_MIN, .ready = true}}, kStart + 101 * kSecond).verdicts[0].suspend);
}

// --- anticipation

TEST_F(CoreTest, TheDeviceIsKeptForAUnitThatHasJustBecomeIdle) {
    const UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart, .command_ns = 500 * kUs};
    decide({low, Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}}, kStart);
    const UnitState idle = Given{.id = 2, .priority = 10, .ready_since_ns = kStart, .idle_since_ns = kStart + kMs};

    const WholeCore::Plan& plan = decide({low, idle}, kStart + kMs);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kAnticipation);
    EXPECT_EQ(plan.verdicts[0].by, 2U);
    EXPECT_EQ(plan.wake_at_ns, kStart + kMs + 500 * kUs) << "as long as one command of the victim";

    EXPECT_TRUE(decide({low, idle}, kStart + kMs + 499 * kUs).verdicts[0].suspend);
    const WholeCore::Plan& after = decide({low, idle}, kStart + kMs + 500 * kUs);
    EXPECT_FALSE(after.verdicts[0].suspend);
    EXPECT_EQ(after.wake_at_ns, 0);
}

TEST_F(CoreTest, NoAnticipationWhereNobodyLessUrgentIsThere) {
    const UnitState idle = Given{.id = 2, .priority = 10, .ready_since_ns = kStart, .idle_since_ns = kStart + kMs};
    EXPECT_EQ(decide({idle}, kStart + kMs).wake_at_ns, 0);
    const UnitState equal = Given{.id = 3, .priority = 10, .ready = true, .ready_since_ns = kStart};
    EXPECT_EQ(decide({idle, equal}, kStart + kMs).wake_at_ns, 0);
    const UnitState held = Given{.id = 4, .ready = true, .suspended_by_person = true};
    EXPECT_EQ(decide({idle, held}, kStart + kMs).wake_at_ns, 0);
}

TEST_F(CoreTest, AnticipationHasALimit) {
    const UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart, .command_ns = 50 * kMs};
    const UnitState idle = Given{.id = 2, .priority = 10, .ready_since_ns = kStart, .idle_since_ns = kStart};
    EXPECT_EQ(decide({low, idle}, kStart).wake_at_ns, kStart + Settings{}.anticipation_max_ns);
}

// A low unit with commands of 10 us, on a device whose context switch takes 175 us.
UnitState low_behind_switches(uint64_t process) {
    UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart, .command_ns = 10 * kUs};
    low.unit.process = process;
    low.costs.switch_us = 175;
    return low;
}

TEST_F(CoreTest, BeingWrongCostsTheSwitchesToAnotherProcessAndBack) {
    UnitState idle = Given{.id = 2, .priority = 10, .ready_since_ns = kStart, .idle_since_ns = kStart};
    idle.costs.switch_us = 175;
    EXPECT_EQ(decide({low_behind_switches(1), idle}, kStart).wake_at_ns, kStart + (10 + 2 * 175) * kUs);
    EXPECT_EQ(decide({low_behind_switches(idle.unit.process), idle}, kStart).wake_at_ns, kStart + kLookNs)
        << "within one process nothing is switched";
}

UnitState high(bool ready, int64_t ready_since_ns, int64_t idle_since_ns) {
    return Given{
        .id = 2, .priority = 10, .ready = ready, .ready_since_ns = ready_since_ns, .idle_since_ns = idle_since_ns};
}

TEST_F(CoreTest, AnticipationIsLearnedFromTheUnitsOwnGaps) {
    int64_t now = kStart;
    const auto low = [&] { return Given{.id = 1, .ready = true, .ready_since_ns = kStart, .command_ns = 5 * kMs}; };
    int64_t idle_since = 0;
    for (int i = 0; i < 20; ++i) {  // 1 ms of work, 40 ms of nothing
        decide({low(), high(true, now, idle_since)}, now);
        idle_since = now + kMs;
        decide({low(), high(false, now, idle_since)}, idle_since);
        now = idle_since + 40 * kMs;
    }
    EXPECT_TRUE(decide({low(), high(true, now, idle_since)}, now).verdicts[0].suspend);
    const WholeCore::Plan& idle = decide({low(), high(false, now, now + kMs)}, now + kMs);
    EXPECT_TRUE(idle.verdicts[0].suspend) << "its pattern may have changed";
    EXPECT_EQ(idle.wake_at_ns, now + kMs + kLookNs);
    EXPECT_FALSE(decide({low(), high(false, now, now + kMs)}, idle.wake_at_ns).verdicts[0].suspend)
        << "a program with long pauses only is not waited for";
}

TEST_F(CoreTest, LearnedAnticipationSurvivesOthersComingAndGoing) {
    int64_t now = kStart;
    int64_t idle_since = 0;
    for (int i = 0; i < 20; ++i) {
        std::vector<UnitState> units;
        if (i % 2 == 0) units.push_back(Given{.id = 100U + i, .ready = true});
        units.push_back(high(true, now, idle_since));
        decide(units, now);
        idle_since = now + kMs;
        units.back() = high(false, now, idle_since);
        decide(units, idle_since);
        now = idle_since + 100 * kUs;
    }
    const UnitState low = Given{.id = 1, .ready = true, .command_ns = 50 * kMs};
    const WholeCore::Plan& plan = decide({low, high(false, idle_since - kMs, idle_since)}, idle_since);
    EXPECT_GT(plan.wake_at_ns, idle_since + 100 * kUs);
    EXPECT_LT(plan.wake_at_ns, idle_since + 200 * kUs);
}

// --- starvation

TEST_F(CoreTest, AStarvedUnitGetsATurnBesideTheUrgentOne) {
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart},
                                       Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}};
    EXPECT_EQ(decide(units, kStart).wake_at_ns, kStart + kSecond);
    const WholeCore::Plan& turn = decide(units, kStart + kSecond);
    EXPECT_FALSE(turn.verdicts[0].suspend);
    EXPECT_EQ(turn.verdicts[0].reason, Reason::kStarved);
    EXPECT_EQ(turn.verdicts[0].by, 0U);
    EXPECT_FALSE(turn.verdicts[1].suspend);
    EXPECT_EQ(turn.wake_at_ns, kStart + kSecond + 10 * kMs);
    const WholeCore::Plan& after = decide(units, kStart + kSecond + 10 * kMs);
    EXPECT_TRUE(after.verdicts[0].suspend);
    EXPECT_EQ(after.verdicts[0].reason, Reason::kLessUrgent);
    EXPECT_EQ(after.wake_at_ns, kStart + 2 * kSecond + 10 * kMs);
}

// Priority inversion: the urgent unit waits for a lock in the driver, held by a call that waits for the less urgent
// unit's work.
class InversionTest : public CoreTest {
protected:
    const WholeCore::Plan& after(int64_t elapsed_ns, int64_t progress_ns, int64_t stuck_ns = 0, uint64_t process = 1) {
        UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart};
        UnitState high = Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart};
        low.stuck_since_ns = high.stuck_since_ns = stuck_ns < 0 ? 0 : kStart + stuck_ns;
        low.unit.process = 1;
        high.unit.process = process;
        high.progress_ns = kStart + progress_ns;
        return decide({low, high}, kStart + elapsed_ns);
    }
};

TEST_F(InversionTest, AUnitGetsATurnWhereCallsStandInTheDriverAndTheUrgentOneGetsNoFurther) {
    const int64_t limit_ns = 4 * kMs;  // 2 ms and two commands
    EXPECT_TRUE(after(0, 0).verdicts[0].suspend);
    EXPECT_EQ(after(kMs, 0).wake_at_ns, kStart + limit_ns);
    const WholeCore::Plan& turn = after(limit_ns, 0);
    EXPECT_FALSE(turn.verdicts[0].suspend);
    EXPECT_EQ(turn.verdicts[0].reason, Reason::kStarved);
    EXPECT_TRUE(after(limit_ns + 10 * kMs, limit_ns + 9 * kMs).verdicts[0].suspend);
}

TEST_F(InversionTest, NoneWhileTheUrgentOneGetsOn) {
    for (int64_t ms = 0; ms < 100; ++ms) EXPECT_TRUE(after(ms * kMs, ms * kMs - kMs).verdicts[0].suspend) << ms;
}

TEST_F(InversionTest, NoneWhileCallsReturnFromTheDriver) {
    for (int64_t ms = 0; ms < 100; ++ms) EXPECT_TRUE(after(ms * kMs, 0, ms * kMs - kMs).verdicts[0].suspend) << ms;
}

TEST_F(InversionTest, LaterIfNoCallIsInTheDriver) {
    const int64_t limit_ns = 24 * kMs;  // 20 ms and four commands
    for (int64_t ms = 0; ms < 24; ++ms) EXPECT_TRUE(after(ms * kMs, 0, -1).verdicts[0].suspend) << ms;
    const WholeCore::Plan& turn = after(limit_ns, 0, -1);
    EXPECT_FALSE(turn.verdicts[0].suspend);
    EXPECT_EQ(turn.verdicts[0].reason, Reason::kStarved);
}

TEST_F(InversionTest, NoneIfAnotherProcessIsUrgent) {
    for (int64_t ms = 0; ms < 200; ++ms) EXPECT_TRUE(after(ms * kMs, 0, 0, 7).verdicts[0].suspend) << ms;
}

TEST_F(CoreTest, TimeSuspendedByAPersonIsNotStarvation) {
    const UnitState high = Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart};
    const auto low = [](bool suspended) {
        return Given{.id = 1, .ready = true, .ready_since_ns = kStart, .suspended_by_person = suspended};
    };
    decide({low(false), high}, kStart);
    decide({low(true), high}, kStart + 900 * kMs);
    decide({low(true), high}, kStart + 5 * kSecond);
    const WholeCore::Plan& plan = decide({low(false), high}, kStart + 6 * kSecond);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kLessUrgent);
    EXPECT_GT(plan.wake_at_ns, kStart + 6 * kSecond);
}

// --- broken policies

class Broken : public policy::Policy {
public:
    Broken() { set_name("broken"); }
    int64_t choose(std::span<const policy::Unit>, int64_t, std::span<policy::Choice> choices) override {
        for (policy::Choice& choice : choices) choice = {.run = false, .by = 4711};
        return 1;  // long past
    }
};

TEST_F(CoreTest, APolicyThatSuspendsEveryoneIsThrownOut) {
    core.set_policy(std::make_unique<Broken>());
    EXPECT_STREQ(core.policy_name(), "broken");
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart},
                                       Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}};
    const WholeCore::Plan& plan = decide(units, kStart);
    EXPECT_TRUE(plan.verdicts[0].suspend && plan.verdicts[1].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kNotItsTurn);
    EXPECT_EQ(plan.verdicts[0].by, 0U) << "an id that is no unit's is not passed on";
    EXPECT_GT(plan.wake_at_ns, kStart) << "and a wish for the past does not make the scheduler spin";
    EXPECT_EQ(core.thrown_out(), nullptr);

    const WholeCore::Plan& after = decide(units, kStart + StallWatchdog::kLimitNs);
    EXPECT_STREQ(core.thrown_out(), "broken");
    EXPECT_STREQ(core.policy_name(), "HPF");
    EXPECT_FALSE(after.verdicts[1].suspend) << "HPF decides at once";
    core.set_policy(policy::find_policy("HPF")->make());
    EXPECT_EQ(core.thrown_out(), nullptr);
}

class OnlyIdle : public policy::Policy {
public:
    OnlyIdle() { set_name("only-idle"); }
    int64_t choose(std::span<const policy::Unit> units, int64_t, std::span<policy::Choice> choices) override {
        for (size_t i = 0; i < units.size(); ++i) choices[i].run = !units[i].wants;
        return 0;
    }
};

TEST_F(CoreTest, SoIsOneThatPicksUnitsWithNothingToDo) {
    core.set_policy(std::make_unique<OnlyIdle>());
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart}, Given{.id = 2}};
    const WholeCore::Plan& plan = decide(units, kStart);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    ASSERT_NE(plan.wake_at_ns, 0);
    EXPECT_LE(plan.wake_at_ns, kStart + StallWatchdog::kLimitNs) << "found out without anybody ringing";
    decide(units, kStart + StallWatchdog::kLimitNs);
    EXPECT_STREQ(core.thrown_out(), "only-idle");
}

TEST_F(CoreTest, AStallIsFoundWithoutAnybodyRinging) {
    core = WholeCore(Core(std::make_unique<OnlyIdle>(), {.starvation_limit_ns = 0, .claim_limit_ns = 0}));
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart}, Given{.id = 2}};
    EXPECT_EQ(decide(units, kStart).wake_at_ns, kStart + StallWatchdog::kLimitNs);
    EXPECT_FALSE(decide(units, kStart + StallWatchdog::kLimitNs).verdicts[0].suspend);
}

TEST_F(CoreTest, AStallIsFoundAlsoWhileOthersComeAndGo) {
    core.set_policy(std::make_unique<Broken>());
    std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart}};
    for (int i = 0; i < 10; ++i) {
        decide(units, kStart + i * 100 * kMs);
        units.push_back(Given{.id = 10U + i});
    }
    decide(units, kStart + StallWatchdog::kLimitNs);
    EXPECT_STREQ(core.thrown_out(), "broken");
}

TEST_F(CoreTest, WithoutWorkNoPolicyIsBlamed) {
    core.set_policy(std::make_unique<Broken>());
    decide({Given{.id = 1}, Given{.id = 2}}, kStart);
    decide({Given{.id = 1}, Given{.id = 2}}, kStart + 100 * kSecond);
    EXPECT_EQ(core.thrown_out(), nullptr);
}

TEST_F(CoreTest, NoPolicyMeansHpf) {
    core.set_policy(nullptr);
    EXPECT_STREQ(core.policy_name(), "HPF");
}

// --- what it keeps

TEST_F(CoreTest, ChangingThePolicyKeepsWhatWasDecided) {
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart},
                                       Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}};
    decide(units, kStart);
    core.set_policy(policy::find_policy("hpf")->make());
    const WholeCore::Plan& plan = decide(units, kStart + kMs);
    EXPECT_EQ(plan.verdicts[0].since_ns, kStart);
}

TEST_F(CoreTest, VerdictsFollowTheirUnitsThroughAnotherOrder) {
    const UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart};
    const UnitState high = Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart};
    decide({low, high}, kStart);
    const WholeCore::Plan& plan = decide({high, low}, kStart + kMs);
    EXPECT_EQ(plan.verdicts[1].id, 1U);
    EXPECT_TRUE(plan.verdicts[1].suspend);
    EXPECT_EQ(plan.verdicts[1].since_ns, kStart);
}

TEST_F(CoreTest, AUnitThatComesBackIsNew) {
    const UnitState low = Given{.id = 1, .ready = true, .ready_since_ns = kStart};
    const UnitState high = Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart};
    decide({low, high}, kStart);
    decide({high}, kStart + kMs);
    EXPECT_EQ(decide({low, high}, kStart + 2 * kMs).verdicts[0].since_ns, kStart + 2 * kMs);
}

TEST_F(CoreTest, TimeNeverGoesBack) {
    const std::vector<UnitState> units{Given{.id = 1, .ready = true, .ready_since_ns = kStart},
                                       Given{.id = 2, .priority = 10, .ready = true, .ready_since_ns = kStart}};
    decide(units, kStart);
    const WholeCore::Plan& plan = decide(units, kStart - kSecond);
    EXPECT_EQ(plan.verdicts[0].since_ns, kStart);
}

}  // namespace
}  // namespace xsched::sched
