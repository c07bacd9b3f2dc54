#include "sched/copy_share.h"

#include <gtest/gtest.h>

#include "given_units.h"

namespace xsched::sched {
namespace {

using testing::kSecond;
using testing::kStart;

TEST(CopyShare, KernelsWithACopyNowAndThen) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 20 * i, kStart);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, ACopyAndTheEventBehindIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 2 * i, kStart);
    EXPECT_TRUE(share.mostly());
}

TEST(CopyShare, AFewCommandsSayNothing) {
    CopyShare share;
    share.observe(15, 15, kStart);
    EXPECT_FALSE(share.mostly());
    share.observe(16, 16, kStart);
    EXPECT_TRUE(share.mostly());
}

// While it is kept off, what was launched before completes, and nothing is launched.
TEST(CopyShare, WhatIsInFlightDoesNotChangeIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 50; ++i) {
        share.observe(40 * i, 40 * (i - 1), kStart);
        share.observe(40 * i, 40 * i, kStart);
        EXPECT_TRUE(i == 1 || share.mostly()) << i;
    }
}

TEST(CopyShare, WhatItDidBeforeIsOver) {
    CopyShare share;
    share.observe(1000, 1000, kStart);
    ASSERT_TRUE(share.mostly());
    for (uint64_t i = 1; i < 30; ++i) share.observe(1000, 1000 + 100 * i, kStart);
    EXPECT_FALSE(share.mostly());
}

// A model of 200 parameters, three requests of 200 kernels, then a few graphs in each second.
TEST(CopyShare, WhoHasLoadedItsParametersCopiesNoMore) {
    CopyShare share;
    share.observe(200, 800, kStart);
    ASSERT_TRUE(share.mostly());
    for (uint64_t i = 1; i <= 5; ++i) share.observe(200, 800 + 6 * i, kStart + static_cast<int64_t>(i) * kSecond);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, WhoDoesNothingForLongStaysWhatItWas) {
    CopyShare share;
    share.observe(200, 400, kStart);
    for (int i = 1; i <= 100; ++i) share.observe(200, 400, kStart + i * kSecond);
    EXPECT_TRUE(share.mostly());
}

TEST(CopyShare, OtherQueuesAreAnotherBegin) {
    CopyShare share;
    share.observe(1000, 1000, kStart);
    share.observe(0, 100, kStart);
    EXPECT_FALSE(share.mostly());
}

}  // namespace
}  // namespace xsched::sched
