// Some equals make room for a more urgent unit. An equal that gets nothing of the device in between has a turn there,
// before it starves and has one within a burst.
#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

// Two victims of one priority, 1 and 2, and an urgent unit, 3, that works 5 of every 20 ms.
class FavourOfTheStarving : public ::testing::Test {
protected:
    static constexpr int64_t kPeriod = 20 * kMs, kBurst = 5 * kMs;

    // The verdicts in the middle of a pause (or of a burst), `periods` after the start; the first victim last completed
    // something after `progress_ns`, the second does all the time.
    const WholeCore::Plan& look(int64_t periods, int64_t progress_ns, bool pause) {
        const int64_t began_ns = kStart + periods * kPeriod;
        const int64_t now_ns = began_ns + (pause ? kBurst + 8 * kMs : kBurst / 2);
        UnitState starving = Given{.id = 1, .ready = true, .ready_since_ns = kStart};
        UnitState served = Given{.id = 2, .ready = true, .ready_since_ns = kStart};
        UnitState urgent = Given{.id = 3, .priority = 1, .ready = !pause, .ready_since_ns = began_ns};
        urgent.idle_since_ns = pause ? began_ns + kBurst : began_ns - kPeriod + kBurst;
        starving.progress_ns = kStart + progress_ns;
        served.progress_ns = now_ns - kMs;
        return core_.decide(std::vector<UnitState>{starving, served, urgent}, now_ns);
    }
    // Simulates pauses until the starving unit is favoured (the other one is suspended for it). Returns after how
    // many periods; this should be half of the starvation limit.
    int64_t starve() {
        for (int64_t periods = 0;; ++periods) {
            EXPECT_TRUE(look(periods, 0, false).verdicts[1].suspend);
            if (look(periods, 0, true).verdicts[1].suspend) return periods;
            if (periods == 60) return -1;
        }
    }

    WholeCore core_ = hpf_core();
};

TEST_F(FavourOfTheStarving, WhoGetsNothingHasTheDeviceAloneForATurn) {
    const int64_t periods = starve();
    ASSERT_GE(periods * kPeriod, kSecond / 2 - kPeriod);
    ASSERT_LE(periods * kPeriod, kSecond / 2 + 5 * kPeriod);
    const WholeCore::Plan& plan = look(periods, 0, true);
    EXPECT_FALSE(plan.verdicts[0].suspend);
    EXPECT_EQ(plan.verdicts[1].by, 1U);
    EXPECT_EQ(plan.verdicts[1].reason, Reason::kFavoured);
    EXPECT_FALSE(plan.verdicts[2].suspend);
}

TEST_F(FavourOfTheStarving, ItIsOverWhenItCompletesSomething) {
    const int64_t periods = starve();
    ASSERT_GE(periods, 0);
    EXPECT_FALSE(look(periods, periods * kPeriod + kBurst + 8 * kMs + 1, true).verdicts[1].suspend);
}

TEST_F(FavourOfTheStarving, TheUrgentUnitIsServedFirstAllTheSame) {
    const int64_t periods = starve();
    ASSERT_GE(periods, 0);
    const WholeCore::Plan& plan = look(periods + 1, 0, false);
    EXPECT_FALSE(plan.verdicts[2].suspend);
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_TRUE(plan.verdicts[1].suspend);
    EXPECT_EQ(plan.verdicts[1].by, 3U);
    EXPECT_EQ(look(periods + 1, 0, true).verdicts[1].by, 1U) << "what is left of its turn";
}

}  // namespace
}  // namespace xsched::sched
