#include "sched/pattern/hold_trial.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace xsched::sched {
namespace {

constexpr int64_t kNs = 1'000'000;

class HoldTrials : public ::testing::Test {
protected:
    void note(bool through, int64_t ns, unsigned times = kSampleTimes) {
        for (unsigned i = 0; i < times; ++i) trial.note(through, ns);
    }
    HoldTrial trial;
};

TEST_F(HoldTrials, FirstItIsSeenHowLongBurstsAreWithout) {
    EXPECT_FALSE(trial.may());
    note(false, kNs, kSampleTimes - 1);
    EXPECT_FALSE(trial.may());
    note(false, kNs, 1);
    EXPECT_TRUE(trial.may());
}

TEST_F(HoldTrials, AsLongAsBefore) {
    note(false, kNs);
    note(true, kNs + kNs / HoldTrial::kPart, 1000);
    EXPECT_TRUE(trial.may());
}

// Plays bursts that last `with` if a hold is allowed, and `without` otherwise. Returns in how many bursts it was
// allowed.
unsigned play(HoldTrial& trial, int64_t with, int64_t without, unsigned times) {
    unsigned through = 0;
    for (unsigned i = 0; i < times; ++i) {
        const bool may = trial.may();
        through += may ? 1 : 0;
        trial.note(may, may ? with : without);
    }
    return through;
}

constexpr int64_t kLongerNs = kNs + kNs / HoldTrial::kPart + 1;

TEST_F(HoldTrials, LongerThanBeforeAndNotForAWhile) {
    play(trial, kLongerNs, kNs, 2 * kSampleTimes);
    EXPECT_EQ(play(trial, kLongerNs, kNs, 2 * kSampleTimes), kSampleTimes) << "in turns";
    EXPECT_EQ(play(trial, kLongerNs, kNs, HoldTrial::kNotFor), 0U);
    EXPECT_EQ(play(trial, kLongerNs, kNs, kSampleTimes), 0U) << "it begins anew";
    EXPECT_TRUE(trial.may());
}

// Returns for how many bursts in a row no hold was allowed, without those that only serve the comparison.
std::vector<unsigned> pauses(HoldTrial& trial, int64_t with, int64_t without, unsigned times) {
    std::vector<unsigned> found;
    for (unsigned i = 0, row = 0; i < times; ++i) {
        if (play(trial, with, without, 1) == 0) {
            ++row;
        } else {
            if (row > kSampleTimes) found.push_back(row - kSampleTimes);
            row = 0;
        }
    }
    return found;
}

TEST_F(HoldTrials, EachTimeForTwiceAsLong) {
    EXPECT_EQ(pauses(trial, kLongerNs, kNs, 1000), (std::vector{32U, 64U, 128U, 256U, 256U}));
}

TEST_F(HoldTrials, SoonAgainOnceItWasAsGood) {
    pauses(trial, kLongerNs, kNs, 1000);
    play(trial, kNs, kNs, 16 * HoldTrial::kNotFor);
    play(trial, 2 * kNs, 2 * kNs, 100);  // compared in turns
    EXPECT_EQ(pauses(trial, 3 * kNs, 2 * kNs, 100), (std::vector{32U}));
}

// Bursts differ by 5 % in length, so by chance bursts with a hold are sometimes longer than those without, or shorter.
TEST(HoldTrialsOfMany, WhereBothAreAlikeMostAreHeld) {
    constexpr unsigned kPrograms = 200, kTimes = 1000;
    std::mt19937 random(1);
    const auto length_ns = [&random] {
        int64_t sum = 0;  // of twelve, as a normal distribution
        for (int i = 0; i < 12; ++i) sum += static_cast<int64_t>(random() % 1'000'000) - 500'000;
        return kNs + sum / 20;
    };
    unsigned through = 0;
    for (unsigned program = 0; program < kPrograms; ++program) {
        HoldTrial trial;
        for (unsigned i = 0; i < kTimes; ++i) {
            const int64_t ns = length_ns();
            through += play(trial, ns, ns, 1);
        }
    }
    EXPECT_GE(through, kPrograms * kTimes * 93 / 100);
}

// Other work of the machine makes both kinds longer.
TEST_F(HoldTrials, LongerThanBeforeButNotForTheHoldsSake) {
    play(trial, kNs, kNs, 100);
    EXPECT_EQ(play(trial, 2 * kNs, 2 * kNs, 1000), 1000 - kSampleTimes);
    EXPECT_EQ(play(trial, kNs, kNs, 1000), 1000U);
}

TEST_F(HoldTrials, VictimsMayRelyOnItUntilThreeOfSixteenWereMissed) {
    const auto note_missed = [this](bool missed, unsigned times) {
        for (unsigned i = 0; i < times; ++i) trial.note_missed(missed);
    };
    for (unsigned i = 0; i < 20; ++i) {
        note_missed(true, 1);
        note_missed(false, 7);
        EXPECT_TRUE(trial.reliable()) << i;
    }
    note_missed(true, 2);
    EXPECT_FALSE(trial.reliable());
    note_missed(false, HoldTrial::not_relied_on_for());
    EXPECT_FALSE(trial.reliable()) << "not for a while behind them";
    note_missed(false, 16);
    EXPECT_TRUE(trial.reliable());
}

// A few long bursts, as on a machine that is busy with something else, do not end the holds.
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
