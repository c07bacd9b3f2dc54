#include "sched/copy_share.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

TEST(CopyShare, KernelsWithACopyNowAndThen) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 20 * i);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, ACopyAndTheEventBehindIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 2 * i);
    EXPECT_TRUE(share.mostly());
}

TEST(CopyShare, AFewCommandsSayNothing) {
    CopyShare share;
    share.observe(15, 15);
    EXPECT_FALSE(share.mostly());
    share.observe(16, 16);
    EXPECT_TRUE(share.mostly());
}

// While it is kept off, what was launched before completes, and nothing is launched.
TEST(CopyShare, WhatIsInFlightDoesNotChangeIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 50; ++i) {
        share.observe(40 * i, 40 * (i - 1));
        share.observe(40 * i, 40 * i);
        EXPECT_TRUE(i == 1 || share.mostly()) << i;
    }
}

TEST(CopyShare, WhatItDidBeforeIsOver) {
    CopyShare share;
    share.observe(1000, 1000);
    ASSERT_TRUE(share.mostly());
    for (uint64_t i = 1; i < 30; ++i) share.observe(1000, 1000 + 100 * i);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, OtherQueuesAreAnotherBegin) {
    CopyShare share;
    share.observe(1000, 1000);
    share.observe(0, 100);
    EXPECT_FALSE(share.mostly());
}

}  // namespace
}  // namespace xsched::sched
