#include "sched/pattern/trials.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::sched::trials_test {
namespace {

constexpr int64_t kUs = base::kMicrosecond;
constexpr uint64_t kUnit = 7;

// So many bursts in whatever way is next; each way's take so long.
void run(Trials& trials, unsigned bursts, int64_t first_us, int64_t second_us, uint64_t unit = kUnit) {
    for (unsigned i = 0; i < bursts; ++i)
        trials.note(trials.next(), unit, (trials.next() == 0 ? first_us : second_us) * kUs);
}

TEST(Trials, BothAreTriedThenTheShorterOneIsTaken) {
    Trials trials;
    for (unsigned i = 0; i < Trials::kBursts; ++i) {
        EXPECT_EQ(trials.next(), 0u);
        run(trials, 1, 4600, 4200);
    }
    for (unsigned i = 0; i < Trials::kBursts; ++i) {
        EXPECT_EQ(trials.next(), 1u);
        run(trials, 1, 4600, 4200);
    }
    EXPECT_EQ(trials.next(), 1u);
    run(trials, 100, 4600, 4200);
    EXPECT_EQ(trials.next(), 1u);
}

TEST(Trials, TheFirstOneUnlessTheOtherIsClearlyShorter) {
    Trials trials;
    run(trials, 2 * Trials::kBursts, 1000, 999);
    EXPECT_EQ(trials.next(), 0u);
    Trials even;
    run(even, 2 * Trials::kBursts, 1000, 980);
    EXPECT_EQ(even.next(), 0u);
}

TEST(Trials, OneThatBeginsBadlyIsGivenUp) {
    Trials trials;
    run(trials, Trials::kBursts, 1000, 3000);
    run(trials, Trials::kFew - 1, 1000, 3000);
    EXPECT_EQ(trials.next(), 1u);
    run(trials, 1, 1000, 3000);
    EXPECT_EQ(trials.next(), 0u);
}

TEST(Trials, OneGoodBurstKeepsATrialGoing) {
    Trials trials;
    run(trials, Trials::kBursts, 1000, 0);
    run(trials, Trials::kFew - 1, 0, 3000);
    run(trials, Trials::kBursts - Trials::kFew, 0, 900);
    EXPECT_EQ(trials.next(), 1u);
    run(trials, 1, 0, 900);
    EXPECT_EQ(trials.next(), 1u) << "the second way's median is shorter";
}

TEST(Trials, ThoseThatChangeNothingBecomeRare) {
    Trials trials;
    unsigned tried = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        tried += trials.next();
        run(trials, 1, 1000, 1200);
    }
    EXPECT_GE(tried, 3 * Trials::kFew);
    EXPECT_LE(tried, 6 * Trials::kFew);
}

TEST(Trials, OneLongBurstDoesNotDecide) {
    Trials trials;
    run(trials, 1, 90'000, 0);
    run(trials, 2 * Trials::kBursts - 1, 1000, 1200);
    EXPECT_EQ(trials.next(), 0u);
}

TEST(Trials, TheOtherOneIsTriedAgainNowAndThen) {
    Trials trials;
    run(trials, 2 * Trials::kBursts, 4600, 4200);
    run(trials, Trials::kAgainAfter, 4000, 4200);
    EXPECT_EQ(trials.next(), 0u) << "its bursts are of another kind now, perhaps";
    run(trials, Trials::kBursts, 4000, 4200);
    EXPECT_EQ(trials.next(), 0u);
    run(trials, Trials::kAgainAfter, 4000, 4200);
    EXPECT_EQ(trials.next(), 1u);
    run(trials, Trials::kBursts, 4000, 4200);
    EXPECT_EQ(trials.next(), 0u);
}

TEST(Trials, AnotherUnitBeginsAnew) {
    Trials trials;
    run(trials, 2 * Trials::kBursts, 4600, 4200);
    EXPECT_EQ(trials.next(), 1u);
    run(trials, 1, 100, 100, kUnit + 1);
    EXPECT_EQ(trials.next(), 0u);
}

}  // namespace
}  // namespace xsched::sched::trials_test
