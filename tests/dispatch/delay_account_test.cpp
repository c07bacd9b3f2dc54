#include "dispatch/delay_account.h"

#include <gtest/gtest.h>

namespace xsched::dispatch {
namespace {

TEST(DelayAccount, QueuesSuspendedSideBySideForOneUnitCountOnce) {
    DelayAccount account;
    account.add({.cause = 7, .client = 1, .ns = 100});
    account.add({.cause = 8, .client = 2, .ns = 50});
    account.add({.cause = 7, .client = 1, .ns = 300});
    account.settle(1000);
    EXPECT_EQ(account.settled_ns(), 1000);
    ASSERT_EQ(account.unattributed().size(), 2U);
    EXPECT_EQ(account.unattributed()[0].ns, 300) << "the longest of them";
    EXPECT_EQ(account.unattributed()[1].ns, 50);
    account.unattributed().clear();
    account.settle(2000);
    EXPECT_TRUE(account.unattributed().empty());
}

TEST(QueueDelay, TellsItsFirstCauseAndThatThereWereOthers) {
    QueueDelay delay;
    delay.begin();
    delay.add(5, 0);
    EXPECT_EQ(delay.cause_pid(), 0) << "a person did it";
    delay.add(10, 200);
    EXPECT_FALSE(delay.several_causes());
    delay.add(20, 300);
    EXPECT_EQ(delay.cause_pid(), 200);
    EXPECT_TRUE(delay.several_causes());
    EXPECT_EQ(delay.ns(), 35);
    delay.begin();
    EXPECT_EQ(delay.ns(), 0);
    EXPECT_EQ(delay.total_ns(), 35) << "of all suspensions";
}

}  // namespace
}  // namespace xsched::dispatch
