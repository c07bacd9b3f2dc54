// The holds, added up: the two views agree, and neither takes long, whatever the programs do.
#include "server/hold_book.h"

#include <gtest/gtest.h>

#include <ctime>
#include <map>

namespace xsched::server {
namespace {

constexpr int64_t kMs = base::kMillisecond;
constexpr int64_t kBeginNs = 100 * base::kSecond;

class HoldBookTest : public ::testing::Test {
protected:
    void hold(uint32_t victim, uint32_t by, int64_t end_ns, int64_t ns) {
        log.add({.client = victim,
                 .end_ns = end_ns,
                 .ns = ns,
                 .hold_ns = ns,
                 .cause = {.by_client = by, .mechanism = sched::Mechanism::kGate},
                 .last = true});
    }
    // Returns the costs of `by` from the victims' side.
    std::map<uint32_t, int64_t> costs_of(uint32_t by, int64_t ns, int64_t now_ns, uint32_t clients) const {
        std::map<uint32_t, int64_t> costs;
        for (uint32_t victim = 1; victim <= clients; ++victim)
            for (const HoldBook::Sum& sum : book.held(victim, ns, now_ns))
                if (sum.cause.by_client == by && victim != by && sum.ns > 0) costs[victim] += sum.ns;
        return costs;
    }
    std::map<uint32_t, int64_t> told_costs_of(uint32_t by, int64_t ns, int64_t now_ns) const {
        std::map<uint32_t, int64_t> costs;
        for (const HoldBook::Cost& cost : book.caused(by, ns, now_ns)) costs[cost.client] = cost.sum.ns;
        return costs;
    }

    dispatch::HoldLog log;
    HoldBook book{log};
    HoldBook::Clients nobody;
};

TEST_F(HoldBookTest, WhatOneCostIsWhatTheOthersWereHeldFor) {
    constexpr uint32_t kClients = 7;
    int64_t now = kBeginNs;
    uint32_t random = 1;
    for (int i = 0; i < 3000; ++i) {
        random = random * 1664525 + 1013904223;
        now += random % (30 * kMs);
        hold(1 + random / 7 % kClients, random / 64 % (kClients + 1), now, random / 512 % (200 * kMs));
        if (i % 500 == 499) book.look(nobody, now);
    }
    for (uint32_t by = 1; by <= kClients; ++by)
        for (const int64_t seconds : {1, 10, 60})
            EXPECT_EQ(told_costs_of(by, seconds * base::kSecond, now),
                      costs_of(by, seconds * base::kSecond, now, kClients));
    EXPECT_FALSE(told_costs_of(1, base::kSecond, now).empty());
    book.look(nobody, now + HoldBook::kLongestNs + base::kSecond);
    EXPECT_TRUE(told_costs_of(1, HoldBook::kLongestNs, now).empty()) << "forgotten";
}

// Within one tick, a program is held for another one under two policies.
TEST_F(HoldBookTest, TellsHoldsOfAnEarlierPolicyApart) {
    const int64_t change_ns = kBeginNs + 10 * kMs;
    log.decide_under("HPF", kBeginNs);
    hold(1, 2, change_ns, 8 * kMs);
    log.decide_under("CFS", change_ns);
    log.decide_under("CFS", change_ns + kMs);
    hold(1, 2, change_ns + 5 * kMs, 3 * kMs);
    book.look(nobody, change_ns + 5 * kMs);
    const std::vector<HoldBook::Sum> sums = book.held(1, base::kSecond, change_ns + 5 * kMs);
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_FALSE(sums[0].earlier_policy) << "the present comes first";
    EXPECT_EQ(sums[0].ns, 3 * kMs);
    EXPECT_TRUE(sums[1].earlier_policy);
    EXPECT_EQ(sums[1].ns, 8 * kMs);
}

// The queues of one user are held and let go without pause. This must not replace unread entries of another user,
// whose queue was held once.
TEST_F(HoldBookTest, NoUserReplacesWhatWasNotReadOfAnother) {
    dispatch::UserLimits loud;
    dispatch::UserLimits quiet;
    log.share(2);
    int64_t now = kBeginNs;
    log.add({.client = 1, .end_ns = now, .ns = kMs, .hold_ns = kMs, .cause = {.by_client = 9}, .last = true}, &quiet,
            now);
    for (uint32_t i = 0; i < 4 * dispatch::HoldLog::kEntries; ++i) {
        now += 10'000;
        log.add({.client = 2, .end_ns = now, .ns = 1, .hold_ns = 1, .cause = {.by_client = 9}, .last = true}, &loud,
                now);
    }
    book.look(nobody, now);
    EXPECT_EQ(book.lost(), 0U);
    ASSERT_EQ(book.held(1, HoldBook::kLongestNs, now).size(), 1U);
    EXPECT_EQ(book.held(1, HoldBook::kLongestNs, now).front().ns, kMs);
    EXPECT_GT(loud.holds_left_out, 0U);
    EXPECT_EQ(quiet.holds_left_out, 0U);
}

// One answer tells of 64 programs; while it is made no other tool is answered.
TEST_F(HoldBookTest, ManyHoldsOfManyProgramsDelayNoAnswer) {
    constexpr uint32_t kClients = 256;
    int64_t now = kBeginNs;
    for (uint32_t i = 0; i < 6 * dispatch::HoldLog::kEntries; ++i) {
        now += 30'000;
        hold(1 + i % kClients, 1 + i / kClients % 64, now, 5 * kMs);
        if (i % dispatch::HoldLog::kEntries == 0) book.look(nobody, now);
    }
    book.look(nobody, now);
    const clock_t before = clock();
    size_t costs = 0;
    for (uint32_t client = 1; client <= 64; ++client)
        for (const int64_t seconds : {1, 10, 60}) costs += book.caused(client, seconds * base::kSecond, now).size();
    EXPECT_GT(costs, 64U * 200);
    EXPECT_LT(clock() - before, XSCHED_SLOWER * CLOCKS_PER_SEC / 2);
}

}  // namespace
}  // namespace xsched::server
