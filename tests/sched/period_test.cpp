// Bursts foreseen from their rhythm alone: the object, and what the core makes of it.
#include "sched/period.h"

#include <gtest/gtest.h>

#include <vector>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kPeriodNs = 50 * kMs;

// Bursts of a millisecond, each of which begins so long after the one before.
class Rhythm {
public:
    int64_t burst(int64_t interval_ns) {
        began_ns += interval_ns;
        period.observe(began_ns, idle_ns_);
        idle_ns_ = began_ns + kMs;
        return began_ns;
    }
    void bursts(unsigned count) {
        for (unsigned i = 0; i < count; ++i) burst(kPeriodNs);
    }
    int64_t next() { return period.next(began_ns + kMs).at_ns; }
    Period period;
    int64_t began_ns = kStart;

private:
    int64_t idle_ns_ = kStart - kSecond;
};

TEST(Period, IsBelievedAfterEnoughEvenIntervals) {
    Rhythm rhythm;
    rhythm.bursts(Period::kEnough);
    EXPECT_EQ(rhythm.next(), 0);
    rhythm.bursts(1);
    EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - Period::kMarginNs);
}

TEST(Period, UnevenOnesAreNone) {
    Rhythm rhythm;
    rhythm.bursts(Period::kEnough + 1);
    rhythm.burst(kPeriodNs + Period::kMostSpreadNs + 1);
    EXPECT_EQ(rhythm.next(), 0);
    rhythm.bursts(Period::kEnough - 1);
    EXPECT_EQ(rhythm.next(), 0);
    rhythm.bursts(1);
    EXPECT_NE(rhythm.next(), 0);
}

TEST(Period, OneThatStaysAwayEndsTheBelief) {
    Rhythm rhythm;
    rhythm.bursts(Period::kEnough + 1);
    const Expected next = rhythm.period.next(rhythm.began_ns + kMs);
    EXPECT_EQ(rhythm.period.next(next.until_ns - 1).at_ns, next.at_ns);
    EXPECT_EQ(rhythm.period.next(next.until_ns).at_ns, 0);
    EXPECT_EQ(rhythm.period.next(next.until_ns + Period::kMostSpreadNs).at_ns, 0);
    rhythm.burst(2 * kPeriodNs);
    EXPECT_EQ(rhythm.next(), 0);
}

TEST(Period, OneThatIsALittleLateOnlyMovesIt) {
    Rhythm rhythm;
    rhythm.bursts(Period::kEnough + 1);
    const Expected next = rhythm.period.next(rhythm.began_ns + kMs);
    EXPECT_EQ(rhythm.period.next(next.until_ns).at_ns, 0) << "given up for now";
    const int64_t late_ns = 100 * kUs;
    rhythm.burst(kPeriodNs + late_ns);
    EXPECT_EQ(rhythm.next(), rhythm.began_ns + kPeriodNs - Period::kMarginNs);
    EXPECT_EQ(rhythm.period.next(rhythm.began_ns + kMs).until_ns,
              rhythm.began_ns + kPeriodNs + late_ns + Period::kMarginNs);
}

TEST(Period, PartsOfABurstBeginNone) {
    Rhythm rhythm;
    rhythm.bursts(Period::kEnough + 1);
    rhythm.period.observe(rhythm.began_ns + 2 * kMs, rhythm.began_ns + 2 * kMs - 20 * kUs);
    EXPECT_NE(rhythm.next(), 0);
}

TEST(Period, VeryShortAndVeryLongOnesAreNone) {
    for (const int64_t interval_ns : {Period::kLeastPeriodNs - 1, Period::kMostPeriodNs + 1}) {
        Rhythm rhythm;
        for (unsigned i = 0; i < 3 * Period::kEnough; ++i) rhythm.burst(interval_ns);
        EXPECT_EQ(rhythm.next(), 0) << interval_ns;
    }
}

// The victim is suspended ahead of the next burst, where that is asked for.
bool suspends_ahead(Settings settings) {
    WholeCore core = hpf_core(settings);
    const Given low{.id = 1, .ready = true, .command_ns = kMs};
    int64_t now = kStart;
    int64_t idle_ns = kStart - kSecond;
    for (unsigned i = 0; i < Period::kEnough + 2; ++i) {
        const std::vector<UnitState> busy{
            low, Given{.id = 2, .priority = 1, .ready = true, .ready_since_ns = now, .idle_since_ns = idle_ns}};
        core.decide(busy, now);
        idle_ns = now + kMs;
        const std::vector<UnitState> idle{
            low, Given{.id = 2, .priority = 1, .ready_since_ns = now, .idle_since_ns = idle_ns}};
        core.decide(idle, idle_ns);
        now += kPeriodNs;
        if (core.decide(idle, now - kPeriodNs / 2).verdicts[0].suspend) return false;
        if (core.decide(idle, now - 100 * kUs).verdicts[0].suspend) return i >= Period::kEnough;
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
