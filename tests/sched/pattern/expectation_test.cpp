// Announced bursts: the object alone, and what the core makes of it.
#include "sched/pattern/expectation.h"

#include <gtest/gtest.h>

#include <vector>

#include "sched/given_units.h"
#include "sched/mechanism/losses.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kAt = kStart + 20 * kMs;
constexpr int64_t kSlack = Expectation::kSlackNs;

TEST(Expectation, NothingAnnouncedNothingExpected) {
    Expectation expectation;
    expectation.observe(0, 0, kStart);
    EXPECT_EQ(expectation.next(kStart).at_ns, 0);
}

TEST(Expectation, ATimeCountsUntilTheBurstComesOrIsTooLate) {
    Expectation expectation;
    expectation.observe(kAt, 0, kStart);
    EXPECT_EQ(expectation.next(kStart).at_ns, kAt);
    EXPECT_EQ(expectation.next(kAt + kSlack - 1).at_ns, kAt);
    EXPECT_EQ(expectation.next(kAt + kSlack).at_ns, 0);
    expectation.observe(kAt, 0, kAt - 2 * kMs);
    EXPECT_EQ(expectation.next(kAt - 2 * kMs).at_ns, kAt) << "that one was another";
    expectation.observe(kAt, 0, kAt - 10 * kUs);
    EXPECT_EQ(expectation.next(kAt).at_ns, 0) << "it has come";
    expectation.observe(kAt + 5 * kMs, 0, kAt - 10 * kUs);
    EXPECT_EQ(expectation.next(kAt).at_ns, kAt + 5 * kMs);
}

TEST(Expectation, APeriodCountsFromEachBurst) {
    Expectation expectation;
    expectation.observe(0, 10 * kMs, 0);
    EXPECT_EQ(expectation.next(kStart).at_ns, 0) << "none has come yet";
    expectation.observe(0, 10 * kMs, kStart);
    EXPECT_EQ(expectation.next(kStart).at_ns, kStart + 10 * kMs);
    expectation.observe(0, 10 * kMs, kStart + 2 * kMs);
    EXPECT_EQ(expectation.next(kStart + 2 * kMs).at_ns, kStart + 10 * kMs) << "a part of the first";
    expectation.observe(0, 10 * kMs, kStart + 9 * kMs);
    EXPECT_EQ(expectation.next(kStart + 9 * kMs).at_ns, kStart + 19 * kMs) << "it moves with the bursts";
}

TEST(Expectation, ABurstThatStaysAwayIsExpectedAFewTimesMore) {
    Expectation expectation;
    expectation.observe(0, 10 * kMs, kStart);
    for (int64_t i = 1; i <= enough_times(); ++i) {
        EXPECT_EQ(expectation.next(kStart + i * 10 * kMs + kSlack - 1).at_ns, kStart + i * 10 * kMs);
        EXPECT_EQ(expectation.next(kStart + i * 10 * kMs).until_ns, kStart + i * 10 * kMs + kSlack);
    }
    const int64_t late_ns = kStart + enough_times() * 10 * kMs + kSlack;
    EXPECT_EQ(expectation.next(late_ns).at_ns, 0);
    expectation.observe(0, 10 * kMs, late_ns);
    EXPECT_EQ(expectation.next(late_ns).at_ns, late_ns + 10 * kMs);
}

TEST(Expectation, SomeOfEachPeriodRemainsForOthers) {
    Expectation expectation;
    expectation.observe(0, 400 * kUs, kStart);
    const Expected next = expectation.next(kStart);
    EXPECT_EQ(next.begin_ns(kSecond), next.at_ns - 200 * kUs);
    EXPECT_EQ(next.until_ns, next.at_ns + 100 * kUs);
}

TEST(Expectation, TheEarlierOfTimeAndPeriodCounts) {
    Expectation expectation;
    expectation.observe(kStart + 4 * kMs, 10 * kMs, kStart);
    EXPECT_EQ(expectation.next(kStart).at_ns, kStart + 4 * kMs);
    expectation.observe(kStart + 14 * kMs, 10 * kMs, kStart);
    EXPECT_EQ(expectation.next(kStart).at_ns, kStart + 10 * kMs);
}

// Sets the length of the unit's commands so that it is off the device `ns` after its suspension.
void off_in(UnitState& state, int64_t ns) {
    state.level = kPreemptLevelDeactivate;
    state.unit.command_ns = ns - stop_ns(state.level, 1, {}) + 1;
}

class AnnouncedBurst : public ::testing::Test {
protected:
    // Units 1 (less urgent, busy) and 2 (more urgent, long idle), which announced a burst for kAt.
    AnnouncedBurst() {
        units.push_back(Given{.id = 1, .ready = true, .ready_since_ns = kStart});
        units.push_back(Given{.id = 2, .priority = 10, .ready_since_ns = kStart - kMs, .idle_since_ns = kStart - kMs});
        off_in(units[0], 3 * kMs);
        units[1].unit.expect_ns = kAt;
    }
    const WholeCore::Plan& decide(int64_t at_ns) { return core.decide(units, at_ns); }

    std::vector<UnitState> units;
    WholeCore core = hpf_core();
};

TEST_F(AnnouncedBurst, TheVictimIsSuspendedWhenItMustAndNotBefore) {
    EXPECT_EQ(decide(kStart + 10 * kMs).wake_at_ns, kAt - 3 * kMs);
    EXPECT_FALSE(decide(kAt - 3 * kMs - 1).verdicts[0].suspend);
    const WholeCore::Plan& plan = decide(kAt - 3 * kMs);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kExpected);
    EXPECT_EQ(plan.verdicts[0].by, 2U);
    EXPECT_FALSE(plan.verdicts[1].imminent);
    EXPECT_EQ(plan.wake_at_ns, kAt - Foreseen::prepares_ns({}));
    const WholeCore::Plan& then = decide(kAt - Foreseen::prepares_ns({}));
    EXPECT_TRUE(then.verdicts[1].imminent);
    EXPECT_FALSE(then.verdicts[0].imminent);
    EXPECT_EQ(then.wake_at_ns, kAt + kSlack);
}

TEST_F(AnnouncedBurst, ItGoesOnIfTheBurstStaysAway) {
    EXPECT_TRUE(decide(kAt).verdicts[0].suspend);
    EXPECT_TRUE(decide(kAt + kSlack - 1).verdicts[0].suspend);
    EXPECT_FALSE(decide(kAt + kSlack).verdicts[0].suspend);
    EXPECT_FALSE(decide(kAt + 2 * kSlack).verdicts[0].suspend);
}

TEST_F(AnnouncedBurst, OnceItHasComeItIsLikeAnyOther) {
    decide(kAt - kMs);
    units[1].ready = true;
    units[1].unit.ready_since_ns = kAt + 100 * kUs;
    EXPECT_EQ(decide(kAt + 100 * kUs).verdicts[0].reason, Reason::kLessUrgent);
    units[1].ready = false;
    units[1].idle_since_ns = kAt + 200 * kUs;
    EXPECT_EQ(decide(kAt + 200 * kUs).verdicts[0].reason, Reason::kAnticipation);
    core = hpf_core({.anticipation_max_ns = 0});
    EXPECT_FALSE(decide(kAt + 200 * kUs).verdicts[0].suspend) << "the announcement is spent";
}

TEST_F(AnnouncedBurst, ALongCommandDoesNotKeepTheDeviceFreeForEver) {
    off_in(units[0], 10 * kSecond);
    units[1].unit.expect_ns = kStart + kSecond;
    EXPECT_EQ(decide(kStart + 10 * kMs).wake_at_ns, kStart + kSecond - kMostGuessNs);
}

TEST_F(AnnouncedBurst, WhoIsOffFasterIsSuspendedLater) {
    units.push_back(Given{.id = 3, .ready = true, .ready_since_ns = kStart});
    off_in(units[2], 400 * kUs);
    const WholeCore::Plan& plan = decide(kAt - 3 * kMs);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_FALSE(plan.verdicts[2].suspend);
    EXPECT_EQ(plan.wake_at_ns, kAt - 400 * kUs);
    EXPECT_TRUE(decide(kAt - 400 * kUs).verdicts[2].suspend);
}

TEST_F(AnnouncedBurst, MeansNothingToEqualsOrToWhoIsHeld) {
    units[0].unit.priority = 10;
    EXPECT_FALSE(decide(kAt).verdicts[0].suspend);
    EXPECT_EQ(decide(kAt).wake_at_ns, 0);
    units[0].unit.priority = 0;
    units[1].suspended_by_person = true;
    EXPECT_FALSE(decide(kAt).verdicts[0].suspend);
}

TEST_F(AnnouncedBurst, APeriodKeepsTheDeviceFreeEachTime) {
    units[1].unit.expect_ns = 0;
    units[1].unit.period_us = 20000;
    for (int64_t begin = kStart; begin < kStart + 100 * kMs; begin += 20 * kMs) {
        units[1].ready = true;
        units[1].unit.ready_since_ns = begin;
        EXPECT_EQ(decide(begin).verdicts[0].reason, Reason::kLessUrgent);
        units[1].ready = false;
        units[1].idle_since_ns = begin + kMs;
        decide(begin + kMs);
        const WholeCore::Plan& plan = decide(begin + 10 * kMs);
        EXPECT_FALSE(plan.verdicts[0].suspend);
        EXPECT_EQ(plan.wake_at_ns, begin + 17 * kMs);
        EXPECT_EQ(decide(begin + 17 * kMs).verdicts[0].reason, Reason::kExpected);
    }
}

}  // namespace
}  // namespace xsched::sched
