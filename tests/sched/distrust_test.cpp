#include "sched/distrust.h"

#include <gtest/gtest.h>

#include "given_units.h"

namespace xsched::sched::distrust_test {
namespace {

using testing::kSecond;
using testing::kStart;

TEST(Distrust, HoldsForASecond) {
    Distrust distrust;
    EXPECT_FALSE(distrust.holds(kStart));
    distrust.not_enough(kStart);
    EXPECT_TRUE(distrust.holds(kStart + kSecond - 1));
    EXPECT_FALSE(distrust.holds(kStart + kSecond));
}

TEST(Distrust, HoldsTwiceAsLongIfItHappensAgainSoon) {
    Distrust distrust;
    int64_t now_ns = kStart;
    for (int64_t lasts_ns = Distrust::kFirstNs; lasts_ns <= Distrust::kLongestNs; lasts_ns *= 2) {
        distrust.not_enough(now_ns);
        EXPECT_TRUE(distrust.holds(now_ns + lasts_ns - 1));
        now_ns += lasts_ns;
        EXPECT_FALSE(distrust.holds(now_ns));
    }
    distrust.not_enough(now_ns);
    EXPECT_FALSE(distrust.holds(now_ns + Distrust::kLongestNs)) << "no longer than that";
}

TEST(Distrust, WhatHappensMeanwhileIsTheSameTime) {
    Distrust distrust;
    distrust.not_enough(kStart);
    distrust.not_enough(kStart + kSecond / 2);
    EXPECT_FALSE(distrust.holds(kStart + kSecond));
}

TEST(Distrust, IsForgotten) {
    Distrust distrust;
    distrust.not_enough(kStart);
    const int64_t later_ns = kStart + Distrust::kFirstNs * (1 + Distrust::kForgetTimes);
    distrust.not_enough(later_ns);
    EXPECT_FALSE(distrust.holds(later_ns + Distrust::kFirstNs));
}

}  // namespace
}  // namespace xsched::sched::distrust_test
