#include "sched/pattern/distrust.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched::distrust_test {
namespace {

using testing::kSecond;
using testing::kStart;

constexpr int64_t kUsualNs = 1'000'000;

void did_harm(Distrust& distrust, int64_t now_ns) {
    distrust.not_enough(now_ns);
    distrust.burst_ended(2 * kUsualNs, kUsualNs, now_ns);
}

TEST(Distrust, HoldsForHalfASecond) {
    Distrust distrust;
    EXPECT_FALSE(distrust.holds(kStart));
    distrust.not_enough(kStart);
    EXPECT_TRUE(distrust.holds(kStart + kProvenNs - 1));
    EXPECT_FALSE(distrust.holds(kStart + kProvenNs));
    distrust.not_enough(kStart + kSecond);
    distrust.burst_ended(kUsualNs, kUsualNs, kStart + kSecond);
    EXPECT_FALSE(distrust.holds(kStart + kSecond + kProvenNs)) << "it did no harm, however often";
}

TEST(Distrust, HoldsTwiceAsLongIfItDoesHarmAgainSoon) {
    Distrust distrust;
    int64_t now_ns = kStart;
    for (int64_t lasts_ns = kLatelyNs; lasts_ns <= BackOff::kLongestNs; lasts_ns *= 2) {
        did_harm(distrust, now_ns);
        EXPECT_TRUE(distrust.holds(now_ns + lasts_ns - 1));
        now_ns += lasts_ns;
        EXPECT_FALSE(distrust.holds(now_ns));
    }
    did_harm(distrust, now_ns);
    EXPECT_FALSE(distrust.holds(now_ns + BackOff::kLongestNs)) << "no longer than that";
}

TEST(Distrust, AHarmlessTimeDoesNotShortenIt) {
    Distrust distrust;
    did_harm(distrust, kStart);
    distrust.not_enough(kStart + 1);
    EXPECT_TRUE(distrust.holds(kStart + kLatelyNs - 1));
}

TEST(Distrust, ALongBurstWithoutThatSaysNothing) {
    Distrust distrust;
    distrust.burst_ended(2 * kUsualNs, kUsualNs, kStart);
    EXPECT_FALSE(distrust.holds(kStart));
}

TEST(Distrust, WhatWasNotEnoughInAnEqualsTurnDoesTheNextBurstNoHarm) {
    Distrust distrust;
    distrust.not_enough(kStart);
    distrust.burst_begins();
    distrust.burst_ended(2 * kUsualNs, kUsualNs, kStart);
    EXPECT_FALSE(distrust.holds(kStart + kProvenNs));
}

TEST(Distrust, IsForgotten) {
    Distrust distrust;
    did_harm(distrust, kStart);
    const int64_t later_ns = kStart + kLatelyNs * (1 + BackOff::kForgetTimes);
    did_harm(distrust, later_ns);
    EXPECT_FALSE(distrust.holds(later_ns + kLatelyNs));
}

}  // namespace
}  // namespace xsched::sched::distrust_test
