// Tests of the scheduling thread's sleep: which clients' doorbells wake it, and which clients it ignores for a while.
#include "server/thread/doorbells.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "base/clock.h"

namespace xsched::server {
namespace {

constexpr int64_t kShortNs = base::kMillisecond;

class DoorbellsTest : public ::testing::Test {
protected:
    DoorbellsTest() {
        bells.add(1, loud.header, &loud_rests_until_ns);
        bells.add(2, honest.header, &honest_rests_until_ns);
        bells.have_several_users(true);
        bells.note_waker();
        bells.note_clients();
    }
    std::vector<uint32_t> heard() { return bells.note_clients(); }
    // Sleeps until a client is heard.
    int64_t sleep_for(int64_t most_ns) {
        const int64_t began = base::now_ns();
        bells.sleep(began + most_ns);
        return base::now_ns() - began;
    }
    struct Client {
        ipc::Header header{};
    };

    base::FutexWord waker{0};
    Client loud;
    Client honest;
    std::atomic<int64_t> loud_rests_until_ns{0};
    std::atomic<int64_t> honest_rests_until_ns{0};
    Doorbells bells{waker, 0};
};

TEST_F(DoorbellsTest, WhoRestsWakesNobody) {
    loud_rests_until_ns = base::now_ns() + base::kSecond;
    bells.sleep(base::now_ns() + kShortNs);  // from now on it rests
    ipc::ring_doorbell(loud.header);
    EXPECT_GE(sleep_for(20 * kShortNs), 20 * kShortNs);
    EXPECT_TRUE(heard().empty());
    EXPECT_EQ(loud.header.server_asleep.load(), 0U) << "it need not make a system call";
    ipc::ring_doorbell(honest.header);
    sleep_for(60 * base::kSecond);
    EXPECT_EQ(heard(), std::vector<uint32_t>{2});
}

// Clients for which the scheduling thread itself has no place are waited for by further threads. These, too, must not
// wake it for a client that is to be ignored for a while.
TEST_F(DoorbellsTest, FurtherClientsThatRestWakeNobodyEither) {
    std::vector<std::unique_ptr<ipc::Region>> crowd;
    for (uint32_t id = 3; id < 40; ++id) {
        crowd.push_back(std::make_unique<ipc::Region>());
        bells.add(id, crowd.back()->header, &loud_rests_until_ns);
    }
    ipc::Header& last = crowd.back()->header;
    const int64_t until_ns = loud_rests_until_ns = base::now_ns() + 30 * kShortNs;
    ipc::ring_doorbell(last);
    ipc::ring_doorbell(honest.header);
    sleep_for(60 * base::kSecond);
    EXPECT_EQ(heard(), std::vector<uint32_t>{2});
    while (heard().empty()) sleep_for(60 * base::kSecond);
    EXPECT_GE(base::now_ns(), until_ns);
    for (uint32_t id = 3; id < 40; ++id) bells.remove(id);
}

// The scheduling thread itself waits for the doorbells of a few clients of each user. A user with many clients must
// leave places to others.
TEST_F(DoorbellsTest, AUserWithManyClientsLeavesPlacesToOthers) {
    std::vector<std::unique_ptr<Client>> crowd;
    uint32_t id = 3;
    for (; id < 60; ++id) {
        crowd.push_back(std::make_unique<Client>());
        bells.add(id, crowd.back()->header, &loud_rests_until_ns);
    }
    EXPECT_EQ(honest.header.server_asleep.load(), 0U);
    Client newcomer;
    std::atomic<int64_t> newcomer_rests_until_ns{0};
    bells.add(id, newcomer.header, &newcomer_rests_until_ns);
    EXPECT_EQ(newcomer.header.server_asleep.load(), 0U);
    for (const auto& one : crowd) ipc::ring_doorbell(one->header);  // also the one that made place is heard
    std::set<uint32_t> rang;
    const int64_t end_ns = base::now_ns() + 60 * base::kSecond;
    while (rang.size() < crowd.size() && base::now_ns() < end_ns) {
        for (const uint32_t one : heard()) rang.insert(one);
        if (rang.size() < crowd.size()) sleep_for(kShortNs);
    }
    EXPECT_EQ(rang.size(), crowd.size());
    ipc::ring_doorbell(newcomer.header);
    EXPECT_EQ(heard(), std::vector<uint32_t>{id});
    for (uint32_t one = 3; one <= id; ++one) bells.remove(one);
}

TEST_F(DoorbellsTest, WhatRangMeanwhileIsHeardWithTheEndOfTheRest) {
    const int64_t until_ns = loud_rests_until_ns = base::now_ns() + 30 * kShortNs;
    bells.sleep(base::now_ns() + kShortNs);
    ipc::ring_doorbell(loud.header);
    while (heard().empty()) sleep_for(60 * base::kSecond);
    EXPECT_GE(base::now_ns(), until_ns);
    EXPECT_TRUE(heard().empty()) << "once";
    loud_rests_until_ns = 0;
    ipc::ring_doorbell(loud.header);
    EXPECT_EQ(heard(), std::vector<uint32_t>{1}) << "and from then on as others are";
}

TEST_F(DoorbellsTest, NobodyRestsWhereThereIsOneUser) {
    bells.have_several_users(false);
    loud_rests_until_ns = base::now_ns() + base::kSecond;
    bells.sleep(base::now_ns() + kShortNs);
    ipc::ring_doorbell(loud.header);
    sleep_for(60 * base::kSecond);
    EXPECT_EQ(heard(), std::vector<uint32_t>{1});
}

TEST_F(DoorbellsTest, WhoGoesWhileResting) {
    loud_rests_until_ns = base::now_ns() + base::kSecond;
    bells.sleep(base::now_ns() + kShortNs);
    bells.remove(1);
    ipc::ring_doorbell(honest.header);
    sleep_for(60 * base::kSecond);
    EXPECT_EQ(heard(), std::vector<uint32_t>{2});
    bells.remove(2);
}

}  // namespace
}  // namespace xsched::server
