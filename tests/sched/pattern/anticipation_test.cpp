#include "sched/pattern/anticipation.h"

#include <gtest/gtest.h>

namespace xsched::sched::anticipation_test {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kMax = 2 * kMs;
constexpr int64_t kBurst = 100 * kUs;

// Lets bursts and gaps pass over a Anticipation, seen at every change.
class Program {
public:
    void gap(int64_t length) {
        idle_ns_ = ready_ns_ + kBurst;
        anticipation.observe(false, ready_ns_, idle_ns_);
        ready_ns_ = idle_ns_ + length;
        anticipation.observe(true, ready_ns_, idle_ns_);
    }
    void gaps(int count, int64_t length) {
        for (int i = 0; i < count; ++i) gap(length);
    }
    Anticipation anticipation;

private:
    int64_t ready_ns_ = 1'000 * kMs;
    int64_t idle_ns_ = 0;
};

TEST(Anticipation, BeforeItKnowsWaitsAsLongAsBeingWrongCosts) {
    Anticipation anticipation;
    EXPECT_EQ(anticipation.length(500 * kUs, kMax), 500 * kUs);
    EXPECT_EQ(anticipation.length(5 * kMs, kMax), kMax);
    EXPECT_EQ(anticipation.length(0, kMax), kLookNs);
    EXPECT_EQ(anticipation.length(5 * kMs, 0), 0);
}

TEST(Anticipation, BelievesEnoughGaps) {
    Program program;
    program.gaps(Habits::kThinkTimes - 1, 40 * kMs);
    EXPECT_EQ(program.anticipation.length(5 * kMs, kMax), kMax);
    program.gap(40 * kMs);
    EXPECT_EQ(program.anticipation.length(5 * kMs, kMax), 0);
}

TEST(Anticipation, CoversShortGapsAndLittleMore) {
    Program program;
    program.gaps(20, 30 * kUs);
    const int64_t length = program.anticipation.length(5 * kMs, kMax);
    EXPECT_GT(length, 30 * kUs);
    EXPECT_LT(length, 60 * kUs);
}

TEST(Anticipation, LongGapsAmongShortOnesDoNotPushItUp) {
    Program program;
    for (int burst = 0; burst < 4; ++burst) {
        program.gaps(15, 30 * kUs);
        program.gap(40 * kMs);
    }
    const int64_t length = program.anticipation.length(5 * kMs, kMax);
    EXPECT_GT(length, 30 * kUs);
    EXPECT_LT(length, 60 * kUs);
}

TEST(Anticipation, DoesNotKeepTheDeviceForGapsThatCostMoreThanBeingWrong) {
    Program program;
    program.gaps(64, 1500 * kUs);
    EXPECT_EQ(program.anticipation.length(100 * kUs, kMax), 0);
    EXPECT_GT(program.anticipation.length(5 * kMs, kMax), 1500 * kUs) << "with long commands it is worth while";
}

TEST(Anticipation, UrgencyCountsMoreThanAnIdleDevice) {
    Program program;
    program.gaps(64, 300 * kUs);
    EXPECT_GT(program.anticipation.length(200 * kUs, kMax), 300 * kUs);
}

TEST(Anticipation, ChoosesTheCheaperOfTwoClusters) {
    Program program;
    for (int i = 0; i < 32; ++i) {
        program.gap(50 * kUs);
        program.gap(1500 * kUs);
    }
    // If a mistake is cheap, the long think times are not waited for: that would cost 1.5 ms each, and save about 1
    // ms.
    const int64_t cheap = program.anticipation.length(500 * kUs, kMax);
    EXPECT_GT(cheap, 50 * kUs);
    EXPECT_LT(cheap, 100 * kUs);
    EXPECT_GT(program.anticipation.length(5 * kMs, kMax), 1500 * kUs);
}

TEST(Anticipation, ForgetsOldHabits) {
    Program program;
    program.gaps(200, 30 * kUs);
    program.gaps(Anticipation::kThinkTimes, 40 * kMs);
    EXPECT_EQ(program.anticipation.length(5 * kMs, kMax), 0);
    program.gaps(Anticipation::kThinkTimes, 30 * kUs);
    EXPECT_GT(program.anticipation.length(5 * kMs, kMax), 30 * kUs);
}

TEST(Anticipation, NeverExceedsItsLimit) {
    Program program;
    program.gaps(64, 1900 * kUs);
    EXPECT_EQ(program.anticipation.length(50 * kMs, kMax), kMax);
}

TEST(Anticipation, CountsNoGapTwice) {
    Anticipation anticipation;
    anticipation.observe(false, 10 * kMs, 11 * kMs);
    for (int i = 0; i < 5; ++i) anticipation.observe(true, 12 * kMs, 11 * kMs);
    EXPECT_EQ(anticipation.think_times(), 1U);
    for (int i = 0; i < 5; ++i) anticipation.observe(false, 12 * kMs, 13 * kMs);
    EXPECT_EQ(anticipation.think_times(), 1U);
}

TEST(Anticipation, AShortThinkTimeLikeNoneBeforeIsASurprise) {
    Program program;
    program.gaps(Habits::kThinkTimes - 1, 40 * kMs);
    EXPECT_TRUE(program.anticipation.unsure());
    program.gap(40 * kMs);
    EXPECT_FALSE(program.anticipation.unsure());
    program.gap(30 * kUs);
    EXPECT_TRUE(program.anticipation.unsure());
    program.gaps(Habits::kThinkTimes, 30 * kUs);
    EXPECT_FALSE(program.anticipation.unsure());
    program.gap(40 * kMs);
    program.gaps(3, 30 * kUs);
    EXPECT_FALSE(program.anticipation.unsure()) << "that is known";
    program.gap(300 * kUs);
    EXPECT_TRUE(program.anticipation.unsure()) << "ten times as long is something else";
}

TEST(Anticipation, TheNextRunBeginsWithTheThinkTimesOfTheLast) {
    Program last;
    for (int burst = 0; burst < 10; ++burst) {
        last.gaps(7, 300 * kUs);
        last.gap(40 * kMs);
    }
    Habits habits;
    last.anticipation.write(habits);
    EXPECT_EQ(habits.think_times, Habits::kThinkTimes);
    EXPECT_EQ(habits.think_us.front(), 300U);
    EXPECT_EQ(habits.think_us.back(), 40'000U);
    Anticipation next;
    next.begin_with(habits);
    EXPECT_FALSE(next.unsure());
    EXPECT_EQ(next.length(200 * kUs, kMax), last.anticipation.length(200 * kUs, kMax));
    Habits nothing;
    Program few;
    few.gaps(Habits::kThinkTimes - 1, kMs);
    few.anticipation.write(nothing);
    EXPECT_EQ(nothing.think_times, 0U);
}

struct Look {
    bool ready;
    int64_t ready_ms;
    int64_t idle_ms;
};
uint64_t think_times_after(std::initializer_list<Look> looks) {
    Anticipation anticipation;
    for (const Look& look : looks) anticipation.observe(look.ready, look.ready_ms * kMs, look.idle_ms * kMs);
    return anticipation.think_times();
}

TEST(Anticipation, CountsAGapWhoseNextBurstHasEndedToo) {
    EXPECT_EQ(think_times_after({{false, 10, 11}, {false, 12, 13}}), 1U);
}

TEST(Anticipation, CountsAGapThatWasOverBeforeTheFirstLook) { EXPECT_EQ(think_times_after({{true, 12, 11}}), 1U); }

TEST(Anticipation, AnEndThatNobodySawBeginsNoGap) {
    Anticipation anticipation;
    anticipation.observe(false, 10 * kMs, 11 * kMs);
    anticipation.observe(true, 12 * kMs, 11 * kMs);
    ASSERT_EQ(anticipation.think_times(), 1u);
    anticipation.observe(true, 20 * kMs, 11 * kMs);  // idle in between, and ready again, from when on is not known
    EXPECT_EQ(anticipation.think_times(), 1u);
    anticipation.observe(false, 20 * kMs, 21 * kMs);
    anticipation.observe(true, 22 * kMs, 21 * kMs);
    EXPECT_EQ(anticipation.think_times(), 2u);
}

TEST(Anticipation, TheFirstBurstHasNoGapBeforeIt) {
    Anticipation anticipation;
    anticipation.observe(true, 12 * kMs, 0);
    anticipation.observe(false, 12 * kMs, 13 * kMs);
    EXPECT_EQ(anticipation.think_times(), 0U);
}

// A unit with several queues: the burst of one ends while another one works. The unit was never idle, so no think
// time is counted.
TEST(Anticipation, OverlappingBurstsHaveNoGap) {
    Anticipation anticipation;
    anticipation.observe(true, 20 * kMs, 0);  // one queue ready since 20
    anticipation.observe(true, 20 * kMs, 50 * kMs);  // another came and went
    anticipation.observe(false, 55 * kMs, 60 * kMs);  // the first ended at 60, the other had another burst from 55
    EXPECT_EQ(anticipation.think_times(), 0U);
}

}  // namespace
}  // namespace xsched::sched::anticipation_test
