// When memory that was sent away comes back, and what others may ask for meanwhile.
#include "sched/memory/memory_plans.h"

namespace xsched::sched {
namespace {

TEST_F(MemoryPlans, ItComesBackWhenThereIsRoom) {
    add_two();
    ASSERT_TRUE(allocate(2, 60 * kGiB));
    steps(20);
    EXPECT_EQ(user(1).on_host, 30 * kGiB);
    leave_room();
    steps(2);
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_EQ(user(1).on_card, 50 * kGiB);
}

TEST_F(MemoryPlans, TheMoreUrgentComesBackFirst) {
    add(1, 3, 40 * kGiB);
    add(2, 1, 40 * kGiB);
    add(3, 10, 0);
    ASSERT_TRUE(allocate(3, 80 * kGiB));
    steps(3);
    user(3).on_card = 40 * kGiB - MemoryPlanner::kReserveBytes;
    settle(50);
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_EQ(user(2).on_host, 40 * kGiB);
}

// The program that has asked may be slow to try again.
TEST_F(MemoryPlans, WhatWasGivenForARequestStaysFreeForASecond) {
    add(1, 0, 70 * kGiB);
    add(2, 10, 0, false);
    ask(2, 30 * kGiB);
    steps(3);
    ASSERT_EQ(answers_[2], Answer::kTryAgain);
    user(2).wanted = 0;
    steps(90);
    EXPECT_EQ(user(1).on_host, 30 * kGiB);
    settle(120);
    EXPECT_EQ(user(1).on_host, 0U);
}

// A program that allocates for moments, again and again: memory that came back in vain waits until the room lasts.
TEST_F(MemoryPlans, MemoryThatIsTakenAtOnceAgainWaitsUntilTheRoomLasts) {
    two_with_room_again(40 * kGiB);
    steps(2);
    ASSERT_EQ(user(1).on_host, 0U) << "the first time there is no reason to wait";
    ASSERT_TRUE(allocate(2, 40 * kGiB));
    now_ns_ += MemoryPlanner::kSettleNs;
    user(2).on_card = 0;
    steps(20);
    EXPECT_EQ(user(1).on_host, 10 * kGiB) << "the room may be there for a moment";
    user(2).on_card = 40 * kGiB;
    steps(2);
    user(2).on_card = 0;
    steps(90);
    EXPECT_EQ(user(1).on_host, 10 * kGiB);
    steps(20);
    EXPECT_EQ(user(1).on_host, 0U) << "it has lasted for a second";
}

TEST_F(MemoryPlans, MemoryDoesNotWaitForRoomThatLastsForLongerThanATurn) {
    add_two();
    int swaps = 0;
    const int64_t until_ns = now_ns_ + 60 * base::kSecond;
    while (now_ns_ < until_ns) {  // ten allocations a second, each for a tenth of that time
        const bool was_back = user(1).on_host == 0;
        ASSERT_TRUE(allocate(2, 40 * kGiB)) << state_of_all();
        if (was_back) ++swaps;
        steps(1);
        user(2).on_card = 0;
        steps(9);
    }
    EXPECT_GE(swaps, 5) << "it has its memory now and then";
    EXPECT_LE(swaps, 12) << "but a turn goes by between two swaps";
}

TEST_F(MemoryPlans, AProgramThatLeavesGivesAllBack) {
    add(1, 0, 50 * kGiB);
    add(2, 10, 0);
    ASSERT_TRUE(allocate(2, 60 * kGiB));
    users_.pop_back();
    settle(2);
    EXPECT_EQ(user(1).on_host, 0u);
}

TEST_F(MemoryPlans, ARequestWaitsForMemoryThatIsComingBack) {
    two_with_room_again(80 * kGiB);
    plan();
    ASSERT_EQ(orders_[0].away, 0U);
    user(1).moving = true;
    ask(2, 30 * kGiB);
    plan();
    EXPECT_EQ(orders_[1].answer, Answer::kNone) << state_of_all();
    user(1).moving = false;
    obey();
    ASSERT_EQ(user(1).on_card, 50 * kGiB);
    steps(2);
    EXPECT_EQ(answers_[2], Answer::kTryAgain);
    EXPECT_EQ(user(1).on_host, 30 * kGiB);
}

TEST_F(MemoryPlans, ARequestDoesNotWaitForEverForMemoryThatIsComingBack) {
    add(1, 0, 0).on_host = 50 * kGiB;
    add(2, 10, 0, false);
    plan();
    user(1).moving = true;
    ask(2, 40 * kGiB);
    const int64_t until_ns = now_ns_ + 3 * MemoryPlanner::patience_ns();
    for (; now_ns_ < until_ns && orders_[1].answer == Answer::kNone; now_ns_ += base::kSecond) plan();
    EXPECT_EQ(orders_[1].answer, Answer::kNotEnough);
}

TEST_F(MemoryPlans, WhatAnEarlierSchedulerSentAwayStaysAway) {
    add(1, 0, 0).on_host = 30 * kGiB;
    add(2, 10, 70 * kGiB, false);
    plan();
    EXPECT_EQ(orders_[0].away, 30 * kGiB);
    user(2).on_card = 10 * kGiB;
    steps(2);
    EXPECT_EQ(user(1).on_host, 0U);
}

TEST_F(MemoryPlans, AProgramThatFillsTheDeviceComesBack) {
    add(1, 0, 0).on_host = kCard - kGiB / 32;
    steps(50);
    EXPECT_NE(user(1).on_host, 0U) << "the driver may need some of it meanwhile";
    steps(100);
    EXPECT_EQ(user(1).on_host, 0U);
}

TEST_F(MemoryPlans, AGangComesBackTogetherOrNotAtAll) {
    for (const uint32_t client : {1U, 2U}) {
        MemoryUser& member = add(client, 0, 0);
        member.on_host = 20 * kGiB;
        member.gang = 1;
    }
    add(3, 10, 50 * kGiB, false);
    steps(2);
    EXPECT_EQ(user(1).on_host + user(2).on_host, 40 * kGiB) << state_of_all();
    user(3).on_card = 35 * kGiB;
    steps(3);
    EXPECT_EQ(user(1).on_host + user(2).on_host, 0U) << state_of_all();
}

TEST_F(MemoryPlans, AMemberOfAGangFollowsTheOther) {
    MemoryUser& member = add(1, 0, 20 * kGiB);
    member.gang = 1;
    member.guarantee = 5 * kGiB;
    member.gang_is_away = member.gang_waits = true;
    steps(2);
    EXPECT_EQ(user(1).on_card, 5 * kGiB) << "all but what is guaranteed";
    EXPECT_TRUE(planner_.is_ready(1)) << "it waits for the other alone";
    user(1).gang_is_away = user(1).gang_waits = false;
    steps(2);
    EXPECT_EQ(user(1).on_host, 0U);
}

// A gang's member gave a part of its memory, and another member was then sent away entirely. The first member keeps
// the rest of its memory all the same.
TEST_F(MemoryPlans, AMemberThatHasGivenSomeKeepsTheRest) {
    add(1, 0, 50 * kGiB).gang = 1;
    add(2, 10, 0, false);
    ASSERT_TRUE(allocate(2, 50 * kGiB));
    ASSERT_EQ(user(1).on_host, 20 * kGiB);
    user(1).gang_is_away = user(1).gang_waits = true;
    steps(5);
    EXPECT_EQ(user(1).on_card, 30 * kGiB);
    user(2).on_card = 0;
    user(1).gang_waits = false;
    settle(3);
    EXPECT_EQ(user(1).on_host, 0U) << "and it comes back with the other";
}

}  // namespace
}  // namespace xsched::sched
