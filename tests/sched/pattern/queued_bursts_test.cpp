#include "sched/pattern/queued_bursts.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kRestNs = 20 * kMs, kSoonNs = kWakeNs;

class QueuedBurstsTest : public ::testing::Test {
protected:
    void burst(int64_t pause_ns, bool is_part = false, bool may_keep = true) {
        bursts.begins(pause_ns, is_part, may_keep, account, now += pause_ns + kMs);
    }
    int64_t now = kStart;
    Account account;
    QueuedBursts bursts;
};

TEST_F(QueuedBurstsTest, OfAProgramThatNeverHadSomeNothingIsKept) {
    burst(kRestNs);
    burst(kSoonNs + 1);
    EXPECT_EQ(bursts.keep_us(), 0u);
}

TEST_F(QueuedBurstsTest, BehindOneThatFollowedAtOnceTheDeviceIsKeptForALongTime) {
    burst(kSoonNs);
    EXPECT_EQ(bursts.keep_us(), QueuedBursts::keep_ns() / 1000);
    for (unsigned i = 1; i < QueuedBursts::kLately; ++i) burst(kRestNs);
    EXPECT_EQ(bursts.keep_us(), QueuedBursts::keep_ns() / 1000);
    burst(kRestNs);
    EXPECT_EQ(bursts.keep_us(), 0u);
}

TEST_F(QueuedBurstsTest, APauseWithinABurstIsNone) {
    burst(kSoonNs, true);
    EXPECT_EQ(bursts.keep_us(), 0u);
}

TEST_F(QueuedBurstsTest, OnlyWhereItsProcessCanAndThatHelps) {
    burst(kSoonNs, false, false);
    EXPECT_EQ(bursts.keep_us(), 0u);
    burst(kRestNs);
    EXPECT_EQ(bursts.keep_us(), QueuedBursts::keep_ns() / 1000);
}

TEST_F(QueuedBurstsTest, AVictimPaysNoMoreThanPrecautionsMayCost) {
    burst(kSoonNs);
    unsigned kept = 0;
    constexpr unsigned kBursts = 1000;  // of a millisecond, with rests of one
    for (unsigned i = 0; i < kBursts; ++i) {
        if (i % 100 == 0) burst(kSoonNs);
        burst(kMs);
        if (bursts.keep_us() != 0) ++kept;
    }
    const int64_t may_ns = Account::most_saved_ns() + Account::part_of(2 * (kBursts + 10) * kMs);
    EXPECT_LE(kept * QueuedBursts::keep_ns() / 1000 * kUs, may_ns + 20 * QueuedBursts::keep_ns() / 1000 * kUs);
    EXPECT_GE(kept, kBursts / 10);
}

TEST_F(QueuedBurstsTest, WhatWasFollowedCostsNobody) {
    for (int i = 0; i < 10'000; ++i) burst(kSoonNs);
    EXPECT_EQ(bursts.keep_us(), QueuedBursts::keep_ns() / 1000);
    EXPECT_TRUE(account.take(Account::most_saved_ns() - 2 * QueuedBursts::keep_ns() / 1000 * kUs, now));
}

TEST_F(QueuedBurstsTest, WithoutPrecautionsThereIsNone) {
    account.use(false);
    burst(kSoonNs);
    EXPECT_EQ(bursts.keep_us(), 0u);
}

}  // namespace
}  // namespace xsched::sched
