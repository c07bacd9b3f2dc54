#include "sched/hold_trial.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

constexpr int64_t kNs = 1'000'000;

class HoldTrials : public ::testing::Test {
protected:
    void note(bool through, int64_t ns, unsigned times = HoldTrial::kEach) {
        for (unsigned i = 0; i < times; ++i) trial.note(through, ns);
    }
    HoldTrial trial;
};

TEST_F(HoldTrials, FirstItIsSeenHowLongBurstsAreWithout) {
    EXPECT_FALSE(trial.may());
    note(false, kNs, HoldTrial::kEach - 1);
    EXPECT_FALSE(trial.may());
    note(false, kNs, 1);
    EXPECT_TRUE(trial.may());
}

TEST_F(HoldTrials, AsLongAsBefore) {
    note(false, kNs);
    note(true, kNs + kNs / HoldTrial::kPart, 1000);
    EXPECT_TRUE(trial.may());
}

TEST_F(HoldTrials, LongerThanBeforeAndNotForAWhile) {
    note(false, kNs);
    note(true, kNs + kNs / HoldTrial::kPart + 1);
    EXPECT_FALSE(trial.may());
    note(false, kNs, HoldTrial::kNotFor);
    EXPECT_FALSE(trial.may()) << "it begins anew";
    note(false, kNs);
    EXPECT_TRUE(trial.may());
}

// Those of a machine that is busy with something else.
TEST_F(HoldTrials, AFewLongOnesSayNothing) {
    note(false, kNs);
    for (int i = 0; i < 100; ++i) {
        note(true, kNs, 6);
        note(true, 5 * kNs, 2);
    }
    EXPECT_TRUE(trial.may());
}

}  // namespace
}  // namespace xsched::sched
