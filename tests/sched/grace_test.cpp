#include "sched/grace.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kMax = 2 * kMs;
constexpr int64_t kBurst = 100 * kUs;

// Lets bursts and gaps pass over a Grace, seen at every change.
class Program {
public:
    void gap(int64_t length) {
        idle_ns_ = ready_ns_ + kBurst;
        grace.observe(false, ready_ns_, idle_ns_);
        ready_ns_ = idle_ns_ + length;
        grace.observe(true, ready_ns_, idle_ns_);
    }
    void gaps(int count, int64_t length) {
        for (int i = 0; i < count; ++i) gap(length);
    }
    Grace grace;

private:
    int64_t ready_ns_ = 1'000 * kMs;
    int64_t idle_ns_ = 0;
};

TEST(Grace, BeforeItKnowsWaitsAsLongAsBeingWrongCosts) {
    Grace grace;
    EXPECT_EQ(grace.length(500 * kUs, kMax), 500 * kUs);
    EXPECT_EQ(grace.length(5 * kMs, kMax), kMax);
    EXPECT_EQ(grace.length(0, kMax), Grace::kLeastWrongNs);
    EXPECT_EQ(grace.length(5 * kMs, 0), 0);
}

TEST(Grace, BelievesEnoughGaps) {
    Program program;
    program.gaps(Grace::kEnough - 1, 40 * kMs);
    EXPECT_EQ(program.grace.length(5 * kMs, kMax), kMax);
    program.gap(40 * kMs);
    EXPECT_EQ(program.grace.length(5 * kMs, kMax), 0);
}

TEST(Grace, CoversShortGapsAndLittleMore) {
    Program program;
    program.gaps(20, 30 * kUs);
    const int64_t length = program.grace.length(5 * kMs, kMax);
    EXPECT_GT(length, 30 * kUs);
    EXPECT_LT(length, 60 * kUs);
}

TEST(Grace, LongGapsAmongShortOnesDoNotPushItUp) {
    Program program;
    for (int burst = 0; burst < 4; ++burst) {
        program.gaps(15, 30 * kUs);
        program.gap(40 * kMs);
    }
    const int64_t length = program.grace.length(5 * kMs, kMax);
    EXPECT_GT(length, 30 * kUs);
    EXPECT_LT(length, 60 * kUs);
}

TEST(Grace, DoesNotKeepTheDeviceForGapsThatCostMoreThanBeingWrong) {
    Program program;
    program.gaps(64, 1500 * kUs);
    EXPECT_EQ(program.grace.length(100 * kUs, kMax), 0);
    EXPECT_GT(program.grace.length(5 * kMs, kMax), 1500 * kUs) << "with long commands it is worth while";
}

TEST(Grace, UrgencyCountsMoreThanAnIdleDevice) {
    Program program;
    program.gaps(64, 300 * kUs);
    EXPECT_GT(program.grace.length(200 * kUs, kMax), 300 * kUs);
}

TEST(Grace, ChoosesTheCheaperOfTwoClusters) {
    Program program;
    for (int i = 0; i < 32; ++i) {
        program.gap(50 * kUs);
        program.gap(1500 * kUs);
    }
    // Covering the long ones would cost 1.5 ms each, leaving them about 1 ms.
    const int64_t cheap = program.grace.length(500 * kUs, kMax);
    EXPECT_GT(cheap, 50 * kUs);
    EXPECT_LT(cheap, 100 * kUs);
    EXPECT_GT(program.grace.length(5 * kMs, kMax), 1500 * kUs);
}

TEST(Grace, ForgetsOldHabits) {
    Program program;
    program.gaps(200, 30 * kUs);
    program.gaps(Grace::kGaps, 40 * kMs);
    EXPECT_EQ(program.grace.length(5 * kMs, kMax), 0);
    program.gaps(Grace::kGaps, 30 * kUs);
    EXPECT_GT(program.grace.length(5 * kMs, kMax), 30 * kUs);
}

TEST(Grace, NeverExceedsItsLimit) {
    Program program;
    program.gaps(64, 1900 * kUs);
    EXPECT_EQ(program.grace.length(50 * kMs, kMax), kMax);
}

TEST(Grace, CountsNoGapTwice) {
    Grace grace;
    grace.observe(false, 10 * kMs, 11 * kMs);
    for (int i = 0; i < 5; ++i) grace.observe(true, 12 * kMs, 11 * kMs);
    EXPECT_EQ(grace.gaps(), 1U);
    for (int i = 0; i < 5; ++i) grace.observe(false, 12 * kMs, 13 * kMs);
    EXPECT_EQ(grace.gaps(), 1U);
}

TEST(Grace, CountsAGapWhoseNextBurstHasEndedToo) {
    Grace grace;
    grace.observe(false, 10 * kMs, 11 * kMs);
    grace.observe(false, 12 * kMs, 13 * kMs);
    EXPECT_EQ(grace.gaps(), 1U);
}

TEST(Grace, CountsAGapThatWasOverBeforeTheFirstLook) {
    Grace grace;
    grace.observe(true, 12 * kMs, 11 * kMs);
    EXPECT_EQ(grace.gaps(), 1U);
}

TEST(Grace, AnEndThatNobodySawBeginsNoGap) {
    Grace grace;
    grace.observe(false, 10 * kMs, 11 * kMs);
    grace.observe(true, 12 * kMs, 11 * kMs);
    ASSERT_EQ(grace.gaps(), 1u);
    grace.observe(true, 20 * kMs, 11 * kMs);  // idle in between, and ready again, from when on is not known
    EXPECT_EQ(grace.gaps(), 1u);
    grace.observe(false, 20 * kMs, 21 * kMs);
    grace.observe(true, 22 * kMs, 21 * kMs);
    EXPECT_EQ(grace.gaps(), 2u);
}

TEST(Grace, TheFirstBurstHasNoGapBeforeIt) {
    Grace grace;
    grace.observe(true, 12 * kMs, 0);
    grace.observe(false, 12 * kMs, 13 * kMs);
    EXPECT_EQ(grace.gaps(), 0U);
}

// Several queues: one ends its burst while another goes on; the unit never was idle.
TEST(Grace, OverlappingBurstsHaveNoGap) {
    Grace grace;
    grace.observe(true, 20 * kMs, 0);         // one queue ready since 20
    grace.observe(true, 20 * kMs, 50 * kMs);  // another came and went
    grace.observe(false, 55 * kMs, 60 * kMs); // the first ended at 60, the other had another burst from 55
    EXPECT_EQ(grace.gaps(), 0U);
}

}  // namespace
}  // namespace xsched::sched
