// The limit of what precautions may cost.
#include "sched/pattern/precautions.h"

#include <gtest/gtest.h>

#include <random>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

TEST(Precautions, OnePartInFiftyAndSomeAtOnce) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        Precautions precautions;
        int64_t now = kStart;
        int64_t taken = 0;
        for (int i = 0; i < 500; ++i) {
            now += static_cast<int64_t>(random() % (round % 2 == 0 ? 3000 : 3'000'000));
            const auto wanted = static_cast<int64_t>(random() % 2'000'000);
            if (precautions.take(wanted, now)) taken += wanted;
            ASSERT_LE(taken, Precautions::kMostSavedNs + (now - kStart) / Precautions::kPart) << round;
        }
        EXPECT_GT(taken, Precautions::kMostSavedNs / 2) << round;
    }
}

TEST(Precautions, TimeCountsHoweverOftenItIsLookedAt) {
    Precautions precautions;
    int64_t now = kStart;
    while (precautions.take(kMs, now)) now += 1;
    for (int i = 0; i < 100'000; ++i) precautions.take(INT64_MAX, now += 999);
    EXPECT_TRUE(precautions.take(100'000 * 999 / Precautions::kPart - kUs, now));
    EXPECT_FALSE(precautions.take(kMs, now));
}

TEST(Precautions, WhatWasRightIsGivenBackAndNotMore) {
    Precautions precautions;
    ASSERT_TRUE(precautions.take(Precautions::kMostSavedNs, kStart));
    EXPECT_FALSE(precautions.take(kUs, kStart));
    precautions.give_back(kUs);
    EXPECT_TRUE(precautions.take(kUs, kStart));
    precautions.give_back(2 * Precautions::kMostSavedNs);
    EXPECT_FALSE(precautions.take(Precautions::kMostSavedNs + 1, kStart));
}

TEST(Precautions, NoneAreTakenWhereTheyAreOff) {
    Precautions precautions;
    precautions.use(false);
    EXPECT_FALSE(precautions.take(1, kStart));
}

}  // namespace
}  // namespace xsched::sched
