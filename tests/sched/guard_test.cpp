#include "sched/guard.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

TEST(Guard, ReportsAStallThatLasts) {
    Guard guard;
    EXPECT_EQ(guard.wake_at_ns(), 0);
    EXPECT_FALSE(guard.stalls(true, false, 100));
    EXPECT_EQ(guard.wake_at_ns(), 100 + Guard::kLimitNs);
    EXPECT_FALSE(guard.stalls(true, false, 99 + Guard::kLimitNs));
    EXPECT_TRUE(guard.stalls(true, false, 100 + Guard::kLimitNs));
}

TEST(Guard, ServingOrHavingNothingToServeIsNoStall) {
    Guard guard;
    EXPECT_FALSE(guard.stalls(true, false, 100));
    EXPECT_FALSE(guard.stalls(true, true, 200));
    EXPECT_EQ(guard.wake_at_ns(), 0);
    EXPECT_FALSE(guard.stalls(true, false, 300));
    EXPECT_FALSE(guard.stalls(false, false, 400));
    EXPECT_FALSE(guard.stalls(true, false, 500 + Guard::kLimitNs));
}

TEST(Guard, ResetStartsAnew) {
    Guard guard;
    guard.stalls(true, false, 100);
    guard.reset();
    EXPECT_FALSE(guard.stalls(true, false, 100 + Guard::kLimitNs));
}

}  // namespace
}  // namespace xsched::sched
