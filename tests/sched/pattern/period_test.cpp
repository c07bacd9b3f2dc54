// Tests that bursts are predicted from their rhythm alone: class Period by itself, and the scheduler's core with it.
#include "sched/pattern/period.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kPeriodNs = 50 * kMs;
constexpr unsigned kStrays = kSampleTimes / EvenTimes::kStrayPart;

// Bursts of 1 ms. The interval is the time from the begin of one burst to the begin of the next.
class Rhythm {
public:
    int64_t burst(int64_t interval_ns, int64_t burst_ns = kMs) {
        began_ns += interval_ns;
        period.observe(began_ns, idle_ns);
        idle_ns = began_ns + burst_ns;
        return began_ns;
    }
    void bursts(unsigned count) {
        for (unsigned i = 0; i < count; ++i) burst(kPeriodNs);
    }
    Expected next_at(int64_t now_ns) { return period.next(idle_ns, now_ns); }
    int64_t next() { return next_at(idle_ns).at_ns; }
    Period period;
    int64_t began_ns = kStart;
    int64_t idle_ns = kStart - kSecond;
};

TEST(Period, IsBelievedAfterEnoughEvenIntervals) {
    Rhythm rhythm;
    rhythm.bursts(enough_times());
    EXPECT_EQ(rhythm.next(), 0);
    rhythm.bursts(1);
    EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - EvenTimes::kEarlyNs);
}

TEST(Period, UnevenOnesAreNone) {
    Rhythm rhythm;
    for (unsigned i = 0; i < 4 * kSampleTimes; ++i) {
        rhythm.burst(kPeriodNs + i % 4 * (EvenTimes::kMostSpreadNs / 2 + 1));
        EXPECT_EQ(rhythm.next(), 0) << i;
    }
}

TEST(Period, AFewAtOtherTimesChangeNothing) {
    Rhythm rhythm;
    rhythm.bursts(kSampleTimes + 1);
    for (const int64_t stray_ns : {2 * kPeriodNs, kPeriodNs / 4, 2 * kLatelyNs}) {
        for (unsigned i = 0; i < kStrays; ++i) {
            rhythm.burst(stray_ns);
            EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - EvenTimes::kEarlyNs) << stray_ns;
        }
        rhythm.bursts(kSampleTimes);
    }
}

TEST(Period, SeveralEndTheBelief) {
    Rhythm rhythm;
    rhythm.bursts(kSampleTimes + 1);
    for (unsigned i = 0; i < kStrays; ++i) rhythm.burst(2 * kPeriodNs);
    EXPECT_NE(rhythm.next(), 0);
    rhythm.burst(2 * kPeriodNs);
    EXPECT_EQ(rhythm.next(), 0);
    for (unsigned i = kStrays + 1; i < kSampleTimes - kStrays; ++i) {
        EXPECT_EQ(rhythm.next(), 0);
        rhythm.burst(2 * kPeriodNs);
    }
    EXPECT_EQ(rhythm.next(), rhythm.began_ns + 2 * kPeriodNs - EvenTimes::kEarlyNs) << "that is the rhythm now";
}

TEST(Period, OneThatStaysAwayIsGivenUp) {
    Rhythm rhythm;
    rhythm.bursts(enough_times() + 1);
    const Expected next = rhythm.next_at(rhythm.idle_ns);
    EXPECT_EQ(rhythm.next_at(next.until_ns - 1).at_ns, next.at_ns);
    EXPECT_EQ(rhythm.next_at(next.until_ns).at_ns, 0);
    EXPECT_EQ(rhythm.next_at(next.until_ns + kSecond).at_ns, 0);
}

TEST(Period, OneThatIsALittleLateOnlyMovesIt) {
    Rhythm rhythm;
    rhythm.bursts(enough_times() + 1);
    const Expected next = rhythm.next_at(rhythm.idle_ns);
    EXPECT_EQ(rhythm.next_at(next.until_ns).at_ns, 0) << "given up for now";
    const int64_t late_ns = 100 * kUs;
    rhythm.burst(kPeriodNs + late_ns);
    EXPECT_EQ(rhythm.next(), rhythm.began_ns - late_ns + kPeriodNs - EvenTimes::kEarlyNs) << "as its clock may say";
    EXPECT_EQ(rhythm.next_at(rhythm.idle_ns).until_ns, rhythm.began_ns + kPeriodNs + late_ns + kLookNs);
}

// The program's think times are equal and its bursts differ in length.
TEST(Period, RestsCountWhereTheyAreMoreEvenThanBegins) {
    Rhythm rhythm;
    constexpr int64_t kRestNs = 30 * kMs;
    int64_t burst_ns = kMs;
    for (unsigned i = 0; i < enough_times() + 1; ++i) {
        EXPECT_EQ(rhythm.next(), 0) << i;
        const int64_t before_ns = std::exchange(burst_ns, (1 + i % 3) * kMs);
        rhythm.burst(before_ns + kRestNs, burst_ns);
    }
    EXPECT_EQ(rhythm.next(), rhythm.idle_ns + kRestNs - EvenTimes::kEarlyNs);
}

TEST(Period, ShortRestsLeaveNothing) {
    for (const int64_t rest_ns : {Period::kLeastRestNs - 1, Period::kLeastRestNs}) {
        Rhythm rhythm;
        int64_t burst_ns = kMs;
        for (unsigned i = 0; i < 3 * enough_times(); ++i) {
            const int64_t before_ns = std::exchange(burst_ns, (3 + i % 2) * kMs);
            rhythm.burst(before_ns + rest_ns, burst_ns);
        }
        EXPECT_EQ(rhythm.next() != 0, rest_ns == Period::kLeastRestNs);
    }
}

// Bursts begin 10 ms and 10.4 ms apart, in turns. If the next burst were expected after 10 ms, the device would stand
// idle for it for 0.2 ms on average. That is more than 1/300 of the interval, the most that an expectation may cost.
// The burst is therefore expected later, but before 10.4 ms. With intervals of 100 ms and 100.4 ms the same 0.2 ms is
// less than 1/300, and the burst is expected as early as after 100 ms.
TEST(Period, NoSoonerIsExpectedThanMayBeWaitedFor) {
    for (const auto& [period_ns, pays] : {std::pair(10 * kMs, false), std::pair(100 * kMs, true)}) {
        Rhythm rhythm;
        for (unsigned i = 0; i < 2 * enough_times() + 1; ++i) rhythm.burst(period_ns + i % 2 * 400 * kUs);
        const int64_t after_ns = rhythm.next() - rhythm.began_ns - period_ns;
        EXPECT_EQ(after_ns == -EvenTimes::kEarlyNs, pays) << after_ns;
        if (pays) continue;
        EXPECT_GT(after_ns, 250 * kUs);
        EXPECT_LT(after_ns, 400 * kUs);
    }
}

// If a burst was late, the next one is expected both at the time by the clock and one interval after the late one:
// the program's timer may or may not have gone on meanwhile.
TEST(Period, BehindALateOneTheNextIsExpectedFromWhenItWouldHaveComeByTheClock) {
    for (const int64_t late_ns : {300 * kUs, 3 * kMs, 20 * kMs})
        for (const bool keeps_to_clock : {true, false}) {
            Rhythm rhythm;
            rhythm.bursts(2 * kSampleTimes);
            const int64_t due_ns = rhythm.began_ns + 2 * kPeriodNs - EvenTimes::kEarlyNs;
            rhythm.burst(kPeriodNs + late_ns, kMs + 600 * kUs);
            EXPECT_EQ(rhythm.next(), due_ns);
            EXPECT_GE(rhythm.next_at(due_ns).until_ns, due_ns + late_ns);
            rhythm.burst(keeps_to_clock ? kPeriodNs - late_ns : kPeriodNs);
            EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - EvenTimes::kEarlyNs) << "that one was in time";
        }
}

// A rhythm that goes on after one shift counts from the shifted burst on. That is not the case of a burst that stayed
// away.
TEST(Period, NotWhereItsRhythmIsAnotherSinceThen) {
    for (const int64_t more_ns : {300 * kUs, kPeriodNs / 2}) {
        Rhythm rhythm;
        rhythm.bursts(2 * kSampleTimes);
        rhythm.burst(kPeriodNs + more_ns);
        rhythm.bursts(2 * kSampleTimes);
        EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - EvenTimes::kEarlyNs) << more_ns;
    }
}

TEST(Period, PartsOfABurstBeginNone) {
    Rhythm rhythm;
    rhythm.bursts(enough_times() + 1);
    rhythm.period.observe(rhythm.began_ns + 2 * kMs, rhythm.began_ns + 2 * kMs - 20 * kUs);
    EXPECT_NE(rhythm.next(), 0);
}

// A program that launches without waiting: its queue becomes ready again and again, and is never seen idle in between.
TEST(Period, PausesThatNobodySawBeginAreParts) {
    Rhythm rhythm;
    for (unsigned i = 0; i < enough_times() + 1; ++i) {
        rhythm.burst(kPeriodNs, 6 * kMs);
        const int64_t idle_ns = rhythm.began_ns + kMs;  // once
        for (int64_t at_ns = idle_ns; at_ns < rhythm.idle_ns; at_ns += 500 * kUs) rhythm.period.observe(at_ns, idle_ns);
    }
    EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - EvenTimes::kEarlyNs);
}

TEST(Period, BurstsOfAboutOneLengthEndThen) {
    constexpr int64_t kLengthNs = 5 * kMs;
    Rhythm rhythm;
    for (unsigned i = 0; i < enough_times(); ++i) rhythm.burst(kPeriodNs + i * kMs, kLengthNs);
    EXPECT_EQ(rhythm.period.end(rhythm.began_ns).at_ns, 0) << "too few are over";
    EXPECT_EQ(rhythm.period.length_ns(), 0);
    rhythm.burst(kPeriodNs, kLengthNs);
    const Expected end = rhythm.period.end(rhythm.began_ns);
    EXPECT_EQ(end.at_ns, rhythm.began_ns + kLengthNs - EvenTimes::kEarlyNs);
    EXPECT_EQ(end.until_ns, rhythm.began_ns + kLengthNs + kLookNs);
    EXPECT_EQ(rhythm.period.end(end.until_ns).at_ns, 0) << "this one is longer";
    EXPECT_EQ(rhythm.period.length_ns(), kLengthNs);
}

TEST(Period, TheUsualLengthLeavesOutTheLongest) {
    Rhythm rhythm;
    EXPECT_EQ(rhythm.burst(kPeriodNs), rhythm.began_ns);
    for (unsigned i = 0; i < kSampleTimes; ++i) rhythm.burst(kPeriodNs, i == 3 ? 1'300 * kUs : 900 * kUs + i * kUs);
    rhythm.burst(kPeriodNs);
    EXPECT_EQ(rhythm.period.length_ns(), 1'300 * kUs);
    EXPECT_EQ(rhythm.period.usual_length_ns(), 900 * kUs + (kSampleTimes - 1) * kUs);
}

// If a machine is slow for some bursts, the usual length stays known as long as some of the last bursts have it.
TEST(Period, TheUsualLengthLastsWhileSomeBurstsAreLikeIt) {
    Rhythm rhythm;
    for (unsigned i = 0; i <= kSampleTimes; ++i) rhythm.burst(kPeriodNs, 900 * kUs);
    for (unsigned i = 0; i < 40; ++i) rhythm.burst(kPeriodNs, (1 + i % 4) * kMs);
    EXPECT_EQ(rhythm.period.length_ns(), 0);
    EXPECT_EQ(rhythm.period.usual_length_ns(), 900 * kUs);
    for (unsigned i = 0; i <= kSampleTimes; ++i) rhythm.burst(kPeriodNs, (2 + i % 4) * kMs);
    EXPECT_EQ(rhythm.period.usual_length_ns(), 0);
    for (unsigned i = 0; i <= kSampleTimes; ++i) rhythm.burst(kPeriodNs, 800 * kUs);
    EXPECT_EQ(rhythm.period.usual_length_ns(), 800 * kUs);
}

TEST(Period, ABurstThatBeginsTellsTheLengthOfTheLastOne) {
    Period period;
    EXPECT_EQ(period.observe(kStart, kStart - kSecond), 0) << "the first";
    EXPECT_EQ(period.observe(kStart + 2 * kMs, kStart + 2 * kMs - 20 * kUs), 0) << "a part";
    EXPECT_EQ(period.observe(kStart + 20 * kMs, kStart + 5 * kMs), 5 * kMs);
    EXPECT_EQ(period.observe(kStart + 20 * kMs, kStart + 5 * kMs), 0) << "once";
}

TEST(Period, BurstsOfUnevenLengthEndWhenTheyDo) {
    Rhythm rhythm;
    for (unsigned i = 0; i < 3 * kSampleTimes; ++i) {
        rhythm.burst(kPeriodNs, (3 + i % 3) * kMs);
        EXPECT_EQ(rhythm.period.end(rhythm.began_ns).at_ns, 0) << i;
    }
}

TEST(Period, VeryShortAndVeryLongOnesAreNone) {
    for (const int64_t interval_ns : {Period::kLeastRestNs - 1, kLatelyNs + 2 * kMs}) {
        Rhythm rhythm;
        for (unsigned i = 0; i < 3 * enough_times(); ++i) rhythm.burst(interval_ns);
        EXPECT_EQ(rhythm.next(), 0) << interval_ns;
    }
}

// Returns whether the victim is suspended ahead of the next burst with these settings.
bool suspends_ahead(Settings settings) {
    WholeCore core = hpf_core(settings);
    const Given low{.id = 1, .ready = true, .command_ns = kMs};
    int64_t now = kStart;
    int64_t idle_ns = kStart - kSecond;
    for (unsigned i = 0; i < enough_times() + 2; ++i) {
        const std::vector<UnitState> busy{
            low, Given{.id = 2, .priority = 1, .ready = true, .ready_since_ns = now, .idle_since_ns = idle_ns}};
        core.decide(busy, now);
        idle_ns = now + kMs;
        const std::vector<UnitState> idle{
            low, Given{.id = 2, .priority = 1, .ready_since_ns = now, .idle_since_ns = idle_ns}};
        core.decide(idle, idle_ns);
        now += kPeriodNs;
        if (core.decide(idle, now - kPeriodNs / 2).verdicts[0].suspend) return false;
        if (core.decide(idle, now - 100 * kUs).verdicts[0].suspend) return i >= enough_times();
    }
    return false;
}

TEST(Period, AVictimMakesRoomAheadIfThatIsAskedFor) {
    Settings settings = kBelieving;
    EXPECT_FALSE(suspends_ahead(settings));
    settings.foresight = Foresight::kTakeOff;
    EXPECT_TRUE(suspends_ahead(settings));
    settings.foresight = Foresight::kHold;
    EXPECT_FALSE(suspends_ahead(settings)) << "its process cannot keep the device";
    settings.foresight = Foresight::kTakeOff;
    settings.precautions = false;
    EXPECT_FALSE(suspends_ahead(settings)) << "nobody pays for it";
}

}  // namespace
}  // namespace xsched::sched
