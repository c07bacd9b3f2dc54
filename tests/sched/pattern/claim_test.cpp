// A unit that reports work and completes nothing is not believed for ever.
#include "sched/pattern/claim.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kLimit = 2 * kSecond;

TEST(Claim, LastsForTheLimitAndComesBackWithProgress) {
    Claim claim;
    claim.observe(true, 5, false, kStart);
    claim.observe(true, 5, false, kStart + kLimit - 1);
    EXPECT_TRUE(claim.believed(kLimit));
    claim.observe(true, 5, false, kStart + kLimit);
    EXPECT_FALSE(claim.believed(kLimit));
    EXPECT_TRUE(claim.believed(0)) << "without a limit";
    EXPECT_EQ(claim.due_ns(kLimit), 0) << "nothing changes by itself any more";
    claim.observe(true, 6, false, kStart + 2 * kLimit);
    EXPECT_TRUE(claim.believed(kLimit));
}

TEST(Claim, OnlyTimeInWhichItMayRunCounts) {
    Claim claim;
    claim.observe(true, 0, false, kStart);
    claim.observe(false, 0, false, kStart + kSecond);
    claim.observe(true, 0, false, kStart + 100 * kSecond);
    EXPECT_TRUE(claim.believed(kLimit));
    EXPECT_EQ(claim.due_ns(kLimit), kStart + 101 * kSecond);
    claim.observe(true, 0, false, kStart + 101 * kSecond);
    EXPECT_FALSE(claim.believed(kLimit));
}

TEST(Claim, RestingNowAndThenIsNoProgress) {
    Claim claim;
    int64_t now = kStart;
    for (int i = 0; i < 3; ++i) {
        claim.observe(true, 0, false, now);
        claim.observe(false, 0, false, now += 900 * kMs);
        now += kMs;
    }
    EXPECT_FALSE(claim.believed(kLimit));
}

TEST(Claim, AStoppedProcessLosesItSooner) {
    Claim claim;
    claim.observe(true, 0, false, kStart);
    EXPECT_FALSE(claim.suspect());
    EXPECT_EQ(claim.due_ns(kLimit), kStart + kUnseenNs) << "when it becomes suspect";
    claim.observe(true, 0, false, kStart + kUnseenNs);
    EXPECT_TRUE(claim.suspect());
    claim.observe(true, 0, true, kStart + 50 * kMs);
    EXPECT_TRUE(claim.believed(kLimit));
    EXPECT_EQ(claim.due_ns(kLimit), kStart + kMostGuessNs);
    claim.observe(true, 0, true, kStart + kMostGuessNs);
    EXPECT_FALSE(claim.believed(kLimit));
    claim.observe(true, 1, true, kStart + kSecond);
    EXPECT_TRUE(claim.believed(kLimit)) << "what the device had completes";
}

TEST(Claim, FollowsTheLongestCommandsThatItCompletes) {
    constexpr int64_t kLong = 20 * kSecond;
    Claim claim;
    int64_t now = kStart;
    claim.observe(true, 0, false, now);
    claim.observe(true, 0, false, now += kLong);
    EXPECT_FALSE(claim.believed(kLimit)) << "the first one: it has shown nothing yet";
    claim.observe(true, 1, false, now);
    EXPECT_EQ(claim.shown_ns(), kLong);
    claim.observe(true, 1, false, now += BurstLength::kTimes * kLong - 1);
    EXPECT_TRUE(claim.believed(kLimit));
    claim.observe(true, 1, false, now += 1);
    EXPECT_FALSE(claim.believed(kLimit));
    EXPECT_EQ(claim.shown_ns(), 0) << "it hangs: nothing of that counts any more";
}

TEST(Claim, ALiarGainsNothing) {
    Claim claim;
    int64_t now = kStart;
    claim.observe(true, 0, false, now);
    for (uint64_t i = 1; i < 100; ++i) claim.observe(true, i, false, now += 10 * kMs);
    claim.observe(true, 99, false, now += kLimit);
    EXPECT_FALSE(claim.believed(kLimit)) << "short commands show no more than the limit";
    Claim after_all;
    after_all.begin_with(INT64_MAX);
    EXPECT_EQ(after_all.shown_ns(), Claim::kMostShownNs);
    after_all.observe(true, 0, false, kStart);
    after_all.observe(true, 0, true, kStart + kMostGuessNs);
    EXPECT_FALSE(after_all.believed(kLimit)) << "it is stopped";
}

class ClaimInCore : public ::testing::Test {
protected:
    ClaimInCore() {
        low.ready = liar.ready = true;
        low.unit.ready_since_ns = liar.unit.ready_since_ns = kStart;
    }
    bool low_runs(int64_t now) { return !core.decide(std::vector<UnitState>{low, liar}, now).verdicts[0].suspend; }

    UnitState low = Given{.id = 1};
    UnitState liar = Given{.id = 2, .priority = 255};
    WholeCore core = hpf_core({.starvation_limit_ns = 0, .claim_limit_ns = kLimit});
};

TEST_F(ClaimInCore, NobodyIsKeptOffForeverForNothing) {
    int64_t now = kStart;
    EXPECT_FALSE(low_runs(now));
    int64_t wake = 0;
    for (int i = 0; i < 10; ++i) {
        wake = core.decide(std::vector<UnitState>{low, liar}, now).wake_at_ns;
        if (wake == 0) break;
        now = wake;
    }
    EXPECT_EQ(now, kStart + kLimit) << "found out without anybody ringing";
    EXPECT_TRUE(low_runs(now));
    EXPECT_TRUE(low_runs(now + 1000 * kSecond)) << "and for good";
    EXPECT_FALSE(core.decide(std::vector<UnitState>{low, liar}, now + 1001 * kSecond).verdicts[1].suspend)
        << "its own work may still run";
    liar.completed = 1;
    EXPECT_FALSE(low_runs(now + 1002 * kSecond));
}

TEST_F(ClaimInCore, ProgressKeepsIt) {
    for (int i = 0; i < 100; ++i) {
        ++liar.completed;
        EXPECT_FALSE(low_runs(kStart + i * kSecond));
    }
}

TEST_F(ClaimInCore, WhoKeepsOthersOffWithoutProgressIsSuspect) {
    EXPECT_FALSE(core.decide(std::vector<UnitState>{low, liar}, kStart).verdicts[1].suspect);
    EXPECT_TRUE(core.decide(std::vector<UnitState>{low, liar}, kStart + 30 * kMs).verdicts[1].suspect);
    ++liar.completed;
    EXPECT_FALSE(core.decide(std::vector<UnitState>{low, liar}, kStart + 40 * kMs).verdicts[1].suspect);
}

TEST_F(ClaimInCore, LongCommandsKeepTheirPlaceFromTheSecondOneOn) {
    constexpr int64_t kLong = 6 * kSecond;
    EXPECT_FALSE(low_runs(kStart));
    EXPECT_TRUE(low_runs(kStart + kLimit));
    ++liar.completed;
    EXPECT_FALSE(low_runs(kStart + kLong));
    for (int64_t at = kLong; at < 2 * kLong; at += kSecond) EXPECT_FALSE(low_runs(kStart + at)) << at / kSecond;
    EXPECT_TRUE(low_runs(kStart + kLong + BurstLength::kTimes * kLong));
}

TEST_F(ClaimInCore, TheNextRunBeginsWithIt) {
    ProgramHabits habits;
    habits.last_run.longest_ms = 6000;
    liar.habits = &habits;
    EXPECT_FALSE(low_runs(kStart));
    EXPECT_FALSE(low_runs(kStart + 6 * kSecond));
    ++liar.completed;
    EXPECT_FALSE(low_runs(kStart + 7 * kSecond));
    EXPECT_EQ(habits.now.longest_ms, 7000u);
}

TEST_F(ClaimInCore, ItIsToldThatOneLostItsClaim) {
    EXPECT_FALSE(core.decide(std::vector<UnitState>{low, liar}, kStart).verdicts[1].unbelieved);
    EXPECT_TRUE(core.decide(std::vector<UnitState>{low, liar}, kStart + kLimit).verdicts[1].unbelieved);
    ++liar.completed;
    EXPECT_FALSE(core.decide(std::vector<UnitState>{low, liar}, kStart + 3 * kSecond).verdicts[1].unbelieved);
}

TEST_F(ClaimInCore, SeveralLoseTheirsTogether) {
    UnitState another = Given{.id = 3, .priority = 255, .ready = true, .ready_since_ns = kStart};
    const auto runs = [&](int64_t now) {
        return !core.decide(std::vector<UnitState>{low, liar, another}, now).verdicts[0].suspend;
    };
    EXPECT_FALSE(runs(kStart));
    EXPECT_TRUE(runs(kStart + kLimit));
}

}  // namespace
}  // namespace xsched::sched
