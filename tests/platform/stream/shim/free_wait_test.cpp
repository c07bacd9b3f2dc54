// Tests when a call may free device memory: after it the driver scrubs (overwrites) the memory, and copies of other
// programs wait for that.
#include "platform/stream/shim/free_wait.h"

#include <gtest/gtest.h>

namespace {

using xsched::base::kMicrosecond;
using xsched::base::kMillisecond;
using xsched::stream::FreeWait;

constexpr int64_t kNow = 1'000 * kMillisecond;
constexpr int64_t kScrubs = 700 * kMicrosecond;

TEST(FreeWait, AtOnceWhereNoBurstIsForeseen) {
    FreeWait wait(kNow, 0, kScrubs);
    EXPECT_EQ(wait.look(kNow, 0, 0), 0);
}

TEST(FreeWait, AtOnceIfItIsScrubbedBeforeTheBurst) {
    FreeWait wait(kNow, 0, kScrubs);
    EXPECT_EQ(wait.look(kNow, 0, kNow + kScrubs), 0);
}

TEST(FreeWait, ElseBehindTheBurst) {
    FreeWait wait(kNow, 0, kScrubs);
    const int64_t burst = kNow + kScrubs - 1;
    EXPECT_EQ(wait.look(kNow, 0, burst), burst - kNow) << "until it begins";
    EXPECT_EQ(wait.look(burst, 0, burst), FreeWait::kLookNs) << "it is due";
    EXPECT_EQ(wait.look(burst + kMillisecond, 0, burst + kMillisecond / 2), FreeWait::kLookNs) << "it is under way";
    EXPECT_EQ(wait.look(burst + 2 * kMillisecond, 0, burst + 10 * kMillisecond), 0);
}

TEST(FreeWait, WhatWasFreedBeforeIsScrubbedFirst) {
    const int64_t scrubbed = kNow + kMillisecond;
    FreeWait one(kNow, scrubbed, kScrubs);
    EXPECT_EQ(one.look(kNow, scrubbed, scrubbed + kScrubs), 0);
    FreeWait another(kNow, scrubbed, kScrubs);
    EXPECT_NE(another.look(kNow, scrubbed, scrubbed + kScrubs - 1), 0);
}

// Memory whose scrubbing takes longer than the time between any two bursts would otherwise never be freed.
TEST(FreeWait, WhatFitsBetweenNoTwoBurstsGoesBehindOne) {
    FreeWait wait(kNow, 0, 30 * kMillisecond);
    const int64_t burst = kNow + 2 * kMillisecond;
    EXPECT_NE(wait.look(kNow, 0, burst), 0);
    EXPECT_NE(wait.look(burst, 0, burst), 0);
    EXPECT_EQ(wait.look(burst + kMillisecond, 0, burst + 10 * kMillisecond), 0);
}

TEST(FreeWait, LittleMemoryDoesNotWait) {
    FreeWait wait(kNow, 0, FreeWait::kLeastNs - 1);
    EXPECT_EQ(wait.look(kNow, 0, kNow), 0);
}

TEST(FreeWait, ABurstThatDoesNotEndIsNotWaitedFor) {
    FreeWait wait(kNow, 0, kScrubs);
    EXPECT_NE(wait.look(kNow, 0, kNow - FreeWait::kMostNs + 1), 0);
    EXPECT_EQ(wait.look(kNow, 0, kNow - FreeWait::kMostNs), 0);
}

TEST(FreeWait, NotForLongerThanItsMost) {
    FreeWait wait(kNow, kNow + kMillisecond, kScrubs);
    const int64_t last = kNow + kMillisecond + kScrubs + FreeWait::kMostNs;
    EXPECT_EQ(wait.look(last - 1, 0, last), 1) << "the sleep ends with it";
    EXPECT_EQ(wait.look(last, 0, last), 0);
    FreeWait far(kNow, kNow + 1'000 * kMillisecond, kScrubs);
    EXPECT_EQ(far.look(kNow, kNow + 1'000 * kMillisecond, kNow + 900 * kMillisecond), FreeWait::kMostInAllNs);
}

}  // namespace
