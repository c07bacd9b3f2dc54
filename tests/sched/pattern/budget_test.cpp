// Tests the budget that bounds what victims may lose for precautions that turn out to be unneeded.
#include "sched/pattern/budget.h"

#include <gtest/gtest.h>

#include <random>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

TEST(Budget, OnePartInFiftyAndSomeAtOnce) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        Account account;
        int64_t now = kStart;
        int64_t taken = 0;
        for (int i = 0; i < 500; ++i) {
            now += static_cast<int64_t>(random() % (round % 2 == 0 ? 3000 : 3'000'000));
            const auto wanted = static_cast<int64_t>(random() % 2'000'000);
            if (account.take(wanted, now)) taken += wanted;
            ASSERT_LE(taken, Account::most_saved_ns() + Account::part_of(now - kStart)) << round;
        }
        EXPECT_GT(taken, Account::most_saved_ns() / 2) << round;
    }
}

TEST(Budget, TimeCountsHoweverOftenItIsLookedAt) {
    Account account;
    int64_t now = kStart;
    while (account.take(kMs, now)) now += 1;
    for (int i = 0; i < 100'000; ++i) account.take(INT64_MAX, now += 999);
    EXPECT_TRUE(account.take(Account::part_of(100'000 * 999) - kUs, now));
    EXPECT_FALSE(account.take(kMs, now));
}

TEST(Budget, WhatWasRightIsGivenBackAndNotMore) {
    Account account;
    ASSERT_TRUE(account.take(Account::most_saved_ns(), kStart));
    EXPECT_FALSE(account.take(kUs, kStart));
    account.give_back(kUs);
    EXPECT_TRUE(account.take(kUs, kStart));
    account.give_back(2 * Account::most_saved_ns());
    EXPECT_FALSE(account.take(Account::most_saved_ns() + 1, kStart));
}

TEST(Budget, NoneAreTakenWhereTheyAreOff) {
    Account account;
    account.use(false);
    EXPECT_FALSE(account.take(1, kStart));
}

}  // namespace
}  // namespace xsched::sched
