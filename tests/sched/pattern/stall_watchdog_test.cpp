#include "sched/pattern/stall_watchdog.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

TEST(StallWatchdog, ReportsAStallThatLasts) {
    StallWatchdog watchdog;
    EXPECT_EQ(watchdog.wake_at_ns(), 0);
    EXPECT_FALSE(watchdog.stalls(true, false, 100));
    EXPECT_EQ(watchdog.wake_at_ns(), 100 + StallWatchdog::kLimitNs);
    EXPECT_FALSE(watchdog.stalls(true, false, 99 + StallWatchdog::kLimitNs));
    EXPECT_TRUE(watchdog.stalls(true, false, 100 + StallWatchdog::kLimitNs));
}

TEST(StallWatchdog, ServingOrHavingNothingToServeIsNoStall) {
    StallWatchdog watchdog;
    EXPECT_FALSE(watchdog.stalls(true, false, 100));
    EXPECT_FALSE(watchdog.stalls(true, true, 200));
    EXPECT_EQ(watchdog.wake_at_ns(), 0);
    EXPECT_FALSE(watchdog.stalls(true, false, 300));
    EXPECT_FALSE(watchdog.stalls(false, false, 400));
    EXPECT_FALSE(watchdog.stalls(true, false, 500 + StallWatchdog::kLimitNs));
}

TEST(StallWatchdog, ResetStartsAnew) {
    StallWatchdog watchdog;
    watchdog.stalls(true, false, 100);
    watchdog.reset();
    EXPECT_FALSE(watchdog.stalls(true, false, 100 + StallWatchdog::kLimitNs));
}

}  // namespace
}  // namespace xsched::sched
