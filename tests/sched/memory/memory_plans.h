// The common part of the tests of the memory planner, which orders programs' memory away from the card and back.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sched/memory/memory_planner.h"

namespace xsched::sched {

// Simulated programs on a card of 80 GiB. Between two plans each program carries out the planner's orders.
class MemoryPlans : public ::testing::Test {
protected:
    using Answer = MemoryOrder::Answer;
    static constexpr uint64_t kGiB = uint64_t{1} << 30;
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
    // Program 1 has 50 GiB. Program 2 is more urgent, has none and gives none.
    void add_two() {
        add(1, 0, 50 * kGiB);
        add(2, 10, 0, false);
    }
    // Program 2 frees its memory, and time passes until the planner may use this room to bring memory back.
    void leave_room() {
        user(2).on_card = 0;
        now_ns_ += MemoryPlanner::kSettleNs;
    }
    // Adds the two programs of add_two; program 2 then allocates `taken` bytes and frees them, so that there is room
    // again.
    void two_with_room_again(uint64_t taken) {
        add_two();
        ASSERT_TRUE(allocate(2, taken));
        leave_room();
    }
    // Lets time pass until memory may come back, and makes `count` more steps.
    void settle(int count) {
        now_ns_ += MemoryPlanner::kSettleNs;
        steps(count);
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

}  // namespace xsched::sched
