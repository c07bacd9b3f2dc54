// Whose memory is on the device: requests, orders and turns, with a small world that carries orders out at once.
#include "sched/memory/memory_planner.h"

#include <gtest/gtest.h>

#include <map>

namespace xsched::sched {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
using Answer = MemoryOrder::Answer;

// Programs on a card of 80 GiB, which do as they are told between two plans.
class MemoryPlans : public ::testing::Test {
protected:
    static constexpr uint64_t kCard = 80 * kGiB;
    static constexpr int64_t kStepNs = 10 * base::kMillisecond;

    MemoryUser& add(uint32_t client, int32_t priority, uint64_t on_card, bool evictable = true) {
        MemoryUser& user = users_.emplace_back();
        user.client = client;
        user.priority = priority;
        user.on_card = on_card;
        user.evictable = evictable;
        return user;
    }
    MemoryUser& user(uint32_t client) {
        for (MemoryUser& each : users_)
            if (each.client == client) return each;
        ADD_FAILURE() << "no user " << client;
        return users_.front();
    }
    std::string state_of_all() const {
        std::string text;
        for (size_t i = 0; i < users_.size(); ++i)
            text += "\n" + std::to_string(users_[i].client) + ": priority " + std::to_string(users_[i].priority) +
                    ", " + (users_[i].evictable ? "evictable, " : "") + std::to_string(users_[i].on_card / kGiB) +
                    " on the card, " + std::to_string(users_[i].on_host / kGiB) + " on the host, ordered away " +
                    std::to_string(orders_[i].away / kGiB) + ", wants " + std::to_string(users_[i].wanted / kGiB);
        return text;
    }
    uint64_t used() const {
        uint64_t sum = 0;
        for (const MemoryUser& each : users_) sum += each.on_card;
        return sum;
    }
    void plan() {
        now_ns_ += kStepNs;
        for (MemoryUser& each : users_) each.free = kCard - used();
        orders_ = planner_.plan(users_, now_ns_);
    }
    // Carries out the orders, as far as there is room.
    void obey() {
        for (size_t i = 0; i < users_.size(); ++i) {
            MemoryUser& each = users_[i];
            const uint64_t away = orders_[i].away;
            if (away == MemoryOrder::all() || away > each.on_host) {
                const uint64_t moves = std::min(away - each.on_host, each.on_card);
                each.on_card -= moves;
                each.on_host += moves;
            } else if (away == 0 && each.on_host > 0) {
                if (used() + each.on_host > kCard) {
                    ++each.failed;
                    continue;
                }
                each.on_card += each.on_host;
                each.on_host = 0;
            }
        }
    }
    void steps(int count) {
        for (int i = 0; i < count; ++i) {
            plan();
            obey();
            for (size_t at = 0; at < users_.size(); ++at)
                if (orders_[at].answer != Answer::kNone) answers_[users_[at].client] = orders_[at].answer;
        }
    }
    void ask(uint32_t client, uint64_t missing) {
        MemoryUser& asker = user(client);
        ++asker.asked;
        asker.wanted = missing;
        answers_.erase(client);
    }
    // Allocates `bytes` as the shim does. Returns whether that succeeds.
    bool allocate(uint32_t client, uint64_t bytes, int most_steps = 10) {
        for (int tries = 0; tries < 4; ++tries) {
            if (used() + bytes <= kCard) {
                user(client).on_card += bytes;
                user(client).wanted = 0;
                return true;
            }
            ask(client, bytes - (kCard - used()));
            for (int i = 0; i < most_steps && answers_.count(client) == 0; ++i) steps(1);
            user(client).wanted = 0;
            if (answers_[client] != Answer::kTryAgain) return false;
        }
        return false;
    }

    MemoryPlanner planner_;
    std::vector<MemoryUser> users_;
    std::vector<MemoryOrder> orders_;
    std::map<uint32_t, Answer> answers_;
    int64_t now_ns_ = base::kSecond;
};

TEST_F(MemoryPlans, AnAllocationThatFitsNotTakesFromTheLessUrgentProgram) {
    add(1, 0, 50 * kGiB);
    add(2, 10, 0, false);
    EXPECT_TRUE(allocate(2, 60 * kGiB));
    EXPECT_EQ(user(1).on_host, 30 * kGiB) << "as much as was missing";
}

TEST_F(MemoryPlans, ItComesBackWhenThereIsRoom) {
    add(1, 0, 50 * kGiB);
    add(2, 10, 0, false);
    ASSERT_TRUE(allocate(2, 60 * kGiB));
    steps(20);
    EXPECT_EQ(user(1).on_host, 30 * kGiB);
    user(2).on_card = 0;
    now_ns_ += MemoryPlanner::kSettleNs;
    steps(2);
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_EQ(user(1).on_card, 50 * kGiB);
}

TEST_F(MemoryPlans, WhatNoProgramMayGiveIsRefusedAtOnce) {
    add(1, 0, 50 * kGiB, false);
    add(2, 20, 20 * kGiB);
    add(3, 10, 0);
    EXPECT_FALSE(allocate(3, 60 * kGiB, 1)) << "one does not allow it, the other is more urgent";
    EXPECT_EQ(answers_[3], Answer::kNotEnough);
}

// Half of the missing memory helps no program.
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

TEST_F(MemoryPlans, TheMoreUrgentComesBackFirst) {
    add(1, 3, 40 * kGiB);
    add(2, 1, 40 * kGiB);
    add(3, 10, 0);
    ASSERT_TRUE(allocate(3, 80 * kGiB));
    steps(3);
    user(3).on_card = 40 * kGiB - MemoryPlanner::kReserveBytes;
    now_ns_ += MemoryPlanner::kSettleNs;
    steps(50);
    EXPECT_EQ(user(1).on_host, 0u);
    EXPECT_EQ(user(2).on_host, 40 * kGiB);
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

// The program whose turn has come allocates piece by piece, as programs do.
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

TEST_F(MemoryPlans, AProgramThatLeavesGivesAllBack) {
    add(1, 0, 50 * kGiB);
    add(2, 10, 0);
    ASSERT_TRUE(allocate(2, 60 * kGiB));
    users_.pop_back();
    now_ns_ += MemoryPlanner::kSettleNs;
    steps(2);
    EXPECT_EQ(user(1).on_host, 0u);
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

// A guarantee is of all memory of the program.
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

// The memory that it asks for comes from a program that is being sent away, which is more urgent.
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

// A scheduler that died has sent it away. Its successor does not order it back while there is no room.
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

// The gang has two members, whose memory was on this card. The least urgent program's place is not enough for them.
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
