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

TEST(CopyShare, WhatItDidBeforeIsOver) {
    CopyShare share;
    share.observe(1000, 1000);
    ASSERT_TRUE(share.mostly());
    share.observe(1000, 1100);
    EXPECT_FALSE(share.mostly());
    share.observe(10, 20);  // its queues are others than before
    EXPECT_FALSE(share.mostly());
}

}  // namespace
}  // namespace xsched::sched
