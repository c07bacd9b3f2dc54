// Whose memory is on the device: requests, orders and turns, with a small world that carries orders out at once.
#include "sched/memory/memory_plans.h"

namespace xsched::sched {
namespace {

TEST_F(MemoryPlans, AnAllocationThatFitsNotTakesFromTheLessUrgentProgram) {
    add_two();
    EXPECT_TRUE(allocate(2, 60 * kGiB));
    EXPECT_EQ(user(1).on_host, 30 * kGiB) << "as much as was missing";
}

TEST_F(MemoryPlans, WhatNoProgramMayGiveIsRefusedAtOnce) {
    add(1, 0, 50 * kGiB, false);
    add(2, 20, 20 * kGiB);
    add(3, 10, 0);
    EXPECT_FALSE(allocate(3, 60 * kGiB, 1)) << "one does not allow it, the other is more urgent";
    EXPECT_EQ(answers_[3], Answer::kNotEnough);
}

// If all evictable memory together is less than a request lacks, none is taken: a part of the missing memory helps no
// program.
TEST_F(MemoryPlans, NothingIsTakenForARequestThatCannotBeMet) {
    add(1, 0, 20 * kGiB);
    add(2, 5, 55 * kGiB, false);
    add(3, 10, 0);
    EXPECT_FALSE(allocate(3, 40 * kGiB));
    EXPECT_EQ(user(1).on_host, 0u);
}

TEST_F(MemoryPlans, TheLeastUrgentGivesFirst) {
    add(1, 3, 30 * kGiB);
    add(2, 1, 30 * kGiB);
    add(3, 10, 0);
    EXPECT_TRUE(allocate(3, 40 * kGiB));
    EXPECT_EQ(user(2).on_host, 20 * kGiB);
    EXPECT_EQ(user(1).on_host, 0u);
}

// A program that cannot move its memory (no room on the host, a call that lasts) is not asked again at once.
TEST_F(MemoryPlans, AProgramThatCannotGiveIsLeftAlone) {
    add(1, 0, 50 * kGiB);
    add(2, 10, 0);
    ask(2, 40 * kGiB);
    plan();
    EXPECT_EQ(orders_[0].away, 40 * kGiB);
    ++user(1).failed;
    plan();
    EXPECT_EQ(orders_[0].away, 0u);
    EXPECT_EQ(orders_[1].answer, Answer::kTryAgain) << "whatever was given";
    ask(2, 51 * kGiB);
    plan();
    EXPECT_EQ(orders_[1].answer, Answer::kNotEnough);
}

TEST_F(MemoryPlans, EqualsTakeTurns) {
    add(1, 0, 50 * kGiB);
    add(2, 0, 0);
    ask(2, 20 * kGiB);
    steps(5);
    EXPECT_EQ(answers_.count(2), 0u) << "its turn is not over, and the other waits for that";
    EXPECT_EQ(user(1).on_host, 0u);
    const int64_t turn_ns = MemoryPlanner::turn_ns(20 * kGiB);  // as much is missing, whatever the other one has
    EXPECT_LE(planner_.look_ns() - now_ns_, turn_ns);
    now_ns_ += turn_ns;
    steps(5);
    EXPECT_EQ(answers_[2], Answer::kTryAgain);
    EXPECT_EQ(user(1).on_host, 20 * kGiB);
    user(2).wanted = 0;
    user(2).on_card = 50 * kGiB;
    steps(5);
    EXPECT_EQ(user(1).on_host, 20 * kGiB) << "now it is the other's turn";
    now_ns_ += MemoryPlanner::turn_ns(20 * kGiB + MemoryPlanner::kReserveBytes);
    steps(5);
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_EQ(user(1).on_card, 50 * kGiB);
    EXPECT_GT(user(2).on_host, 0u);
}

// A program whose turn is over gives memory each time that an equal asks for some. The equal allocates piece by piece,
// as programs do.
TEST_F(MemoryPlans, AnEqualWhoseTurnIsOverGivesAsOftenAsItIsAsked) {
    add(1, 0, 70 * kGiB);
    add(2, 0, 10 * kGiB);
    steps(1);
    now_ns_ += MemoryPlanner::turn_ns(80 * kGiB);
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(allocate(2, 10 * kGiB)) << i;
    EXPECT_EQ(user(1).on_host, 60 * kGiB);
}

// A turn with the memory lasts ten times as long as a swap there and back, so swaps take a tenth of the time at most.
TEST_F(MemoryPlans, ATurnLastsTenTimesAsLongAsASwap) {
    for (const uint64_t bytes : {kGiB, 20 * kGiB, 200 * kGiB}) {
        const double swap_ns = 2.0 * static_cast<double>(bytes) / (MemoryPlanner::kSwapBytesPerUs / 1e3);
        EXPECT_GE(static_cast<double>(MemoryPlanner::turn_ns(bytes)), 9.9 * swap_ns) << bytes;
    }
}

TEST_F(MemoryPlans, WhatIsGuaranteedStays) {
    add(1, 0, 50 * kGiB).guarantee = 30 * kGiB;
    add(2, 10, 0);
    EXPECT_FALSE(allocate(2, 60 * kGiB)) << "30 are missing, and 20 may be had";
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_TRUE(allocate(2, 50 * kGiB));
    EXPECT_EQ(user(1).on_host, 20 * kGiB);
    EXPECT_FALSE(allocate(2, kGiB));
}

// A guarantee counts all of a program's memory, also what cannot be moved.
TEST_F(MemoryPlans, WhatCannotBeMovedCountsForTheGuarantee) {
    MemoryUser& one = add(1, 0, 50 * kGiB);
    one.fixed = 10 * kGiB;
    one.guarantee = 30 * kGiB;
    add(2, 10, 0);
    EXPECT_TRUE(allocate(2, 60 * kGiB));
    EXPECT_EQ(user(1).on_host, 30 * kGiB);
}

TEST_F(MemoryPlans, AProgramThatIsKeptAwayGivesAllUntilItIsResumed) {
    MemoryUser& one = add(1, 10, 50 * kGiB);
    one.guarantee = 30 * kGiB;
    one.kept_away = true;
    add(2, 0, 10 * kGiB);
    steps(3);
    EXPECT_EQ(user(1).on_host, 50 * kGiB) << "although nobody asks, and whatever is guaranteed";
    now_ns_ += 10 * base::kSecond;
    steps(5);
    EXPECT_EQ(user(1).on_card, 0u);
    EXPECT_TRUE(allocate(2, 60 * kGiB));
    user(2).on_card = 10 * kGiB;
    user(1).kept_away = false;
    now_ns_ += 2 * MemoryPlanner::kSettleNs;
    steps(5);
    EXPECT_EQ(user(1).on_card, 50 * kGiB);
}

// A program that a person sends away frees enough for a less urgent program's request. The request waits for that
// memory instead of being refused.
TEST_F(MemoryPlans, ARequestWaitsForMemoryThatIsOnItsWay) {
    add(1, 10, 50 * kGiB).kept_away = true;
    add(2, 0, 0);
    ask(2, 20 * kGiB);
    plan();
    EXPECT_EQ(orders_[1].answer, Answer::kNone);
    obey();
    plan();
    EXPECT_EQ(orders_[1].answer, Answer::kTryAgain);
}

// The program reports that it cannot move its memory away: it hangs in the driver while bringing back memory that it
// has not published yet. The planner asks again later.
TEST_F(MemoryPlans, AProgramThatCannotGoAwayIsAskedAgainLater) {
    add(1, 0, 50 * kGiB).kept_away = true;
    plan();
    EXPECT_EQ(orders_[0].away, MemoryOrder::all());
    ++user(1).failed;
    plan();
    EXPECT_EQ(orders_[0].away, 0u);
    EXPECT_GT(planner_.look_ns(), now_ns_);
    now_ns_ = planner_.look_ns();
    plan();
    EXPECT_EQ(orders_[0].away, MemoryOrder::all());
}

TEST_F(MemoryPlans, NothingIsOrderedOfNobody) {
    EXPECT_TRUE(planner_.plan({}, now_ns_).empty());
    EXPECT_EQ(planner_.look_ns(), 0);
}

// Random programs: the card is never overcommitted, every request is answered, and with all of them content all memory
// comes back.
TEST_F(MemoryPlans, RandomProgramsAreAllServed) {
    uint64_t state = 12345;
    const auto random_below = [&state](uint64_t bound) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % bound;
    };
    for (uint32_t client = 1; client <= 6; ++client)
        add(client, static_cast<int32_t>(random_below(3)), 0, random_below(4) != 0);
    for (int round = 0; round < 2000; ++round) {
        MemoryUser& it = users_[random_below(users_.size())];
        if (random_below(2) == 0) {
            it.on_card -= std::min(it.on_card, random_below(30) * kGiB);
        } else if (it.on_host == 0 && it.on_card < 40 * kGiB) {
            const uint64_t bytes = (1 + random_below(30)) * kGiB;
            if (used() + bytes > kCard) {
                ask(it.client, bytes);
                for (int i = 0; i < 20 && answers_.count(it.client) == 0; ++i) {
                    now_ns_ += 10 * base::kSecond;
                    steps(1);
                }
                EXPECT_EQ(answers_.count(it.client), 1u) << "round " << round << state_of_all();
                it.wanted = 0;
            }
            if (used() + bytes <= kCard) it.on_card += bytes;
        }
        steps(static_cast<int>(random_below(4)));
        ASSERT_LE(used(), kCard);
    }
    for (MemoryUser& it : users_) it.on_card = std::min(it.on_card, 2 * kGiB);
    for (int i = 0; i < 200; ++i) {
        now_ns_ += base::kSecond;
        steps(1);
    }
    for (const MemoryUser& it : users_) EXPECT_EQ(it.on_host, 0u) << it.client;
}

// Two members of one gang on a card do not give memory to each other, since the gang needs both. Even the least
// urgent member's request is then refused.
TEST_F(MemoryPlans, MembersOfAGangMakeNoRoomForEachOther) {
    add(1, 0, 70 * kGiB).gang = 1;
    add(2, 10, 0).gang = 1;
    ask(2, 20 * kGiB);
    steps(2);
    EXPECT_EQ(answers_[2], Answer::kNotEnough);
    EXPECT_EQ(user(1).on_host, 0U);
}

}  // namespace
}  // namespace xsched::sched
