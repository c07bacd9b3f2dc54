// The priorities that waiting processes lend each other, and the processes that run for others.
#include "sched/order/waits.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "sched/given_units.h"

namespace xsched::sched::testing {
namespace {

bool set(Waits& waits, std::vector<WaitEdge> edges, uint64_t user = 0) { return waits.set(user, edges); }

TEST(Waits, AChainPassesThePriorityOn) {
    Waits waits;
    EXPECT_TRUE(set(waits, {{1, 2, 10}, {2, 3, 0}}));
    EXPECT_EQ(waits.lent_to(2), 10);
    EXPECT_EQ(waits.lent_to(3), 10);
    EXPECT_EQ(waits.lent_to(1), INT32_MIN);
    EXPECT_TRUE(waits.waits_for(1, 3));
    EXPECT_FALSE(waits.waits_for(3, 1));
    EXPECT_FALSE(waits.in_circle(2));
}

TEST(Waits, OfSeveralWhoWaitTheMostUrgentCounts) {
    Waits waits;
    set(waits, {{1, 3, 10}, {2, 3, 4}, {3, 4, -5}});
    EXPECT_EQ(waits.lent_to(3), 10);
    EXPECT_EQ(waits.lent_to(4), 10);
    EXPECT_TRUE(set(waits, {{2, 3, 4}, {3, 4, -5}})) << "the first has what it waited for";
    EXPECT_EQ(waits.lent_to(4), 4);
    EXPECT_TRUE(set(waits, {}));
    EXPECT_FALSE(waits.any());
    EXPECT_EQ(waits.lent_to(4), INT32_MIN);
}

TEST(Waits, TheSameAgainIsNoChange) {
    Waits waits;
    EXPECT_TRUE(set(waits, {{1, 2, 3}, {2, 3, 4}}));
    EXPECT_FALSE(set(waits, {{2, 3, 4}, {1, 2, 3}, {1, 2, 3}}));
    EXPECT_TRUE(set(waits, {{1, 2, 3}, {2, 3, 5}}));
}

TEST(Waits, InACircleAllAreAsUrgentAsTheMostUrgent) {
    Waits waits;
    set(waits, {{1, 2, 1}, {2, 3, 7}, {3, 1, 2}, {3, 4, 0}});
    for (const uint64_t process : {1, 2, 3, 4}) EXPECT_EQ(waits.lent_to(process), 7) << process;
    for (const uint64_t process : {1, 2, 3}) EXPECT_TRUE(waits.in_circle(process)) << process;
    EXPECT_FALSE(waits.in_circle(4));
    set(waits, {{1, 2, 1}, {3, 1, 2}});
    EXPECT_EQ(waits.lent_to(2), 2) << "nothing is kept up by the circle itself";
}

TEST(Waits, EachUsersAreItsOwn) {
    Waits waits;
    set(waits, {{1, 2, 10}}, 1);
    set(waits, {{2, 3, 5}}, 2);
    set(waits, {}, 2);
    EXPECT_EQ(waits.lent_to(2), 10);
    EXPECT_EQ(waits.lent_to(3), INT32_MIN);
}

// As many edges as a user can make: a process of his is stopped by none of them (the scheduling thread would be, for
// seconds, if each edge were followed through all others).
TEST(Waits, AllForAllCostLittle) {
    Waits waits;
    std::vector<WaitEdge> edges;
    for (uint64_t waiter = 1; waiter <= Waits::kMostProcesses; ++waiter)
        for (uint64_t producer = 1; producer <= Waits::kMostProcesses; ++producer)
            if (waiter != producer) edges.push_back({waiter, producer, static_cast<int32_t>(waiter)});
    timespec began{}, ended{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    EXPECT_TRUE(waits.set(0, edges));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    EXPECT_EQ(waits.lent_to(1), static_cast<int32_t>(Waits::kMostProcesses));
    EXPECT_TRUE(waits.in_circle(7));
    const int64_t took_ns = (ended.tv_sec - began.tv_sec) * 1'000'000'000 + ended.tv_nsec - began.tv_nsec;
    EXPECT_LT(took_ns, 100 * kMs) << "0.3 ms on an idle machine";
}

TEST(Waits, ProcessesBeyondTheMostAreLeftOut) {
    Waits waits;
    std::vector<WaitEdge> edges;
    for (uint64_t process = 1; process <= 2 * Waits::kMostProcesses; ++process)
        edges.push_back({process, process + 1, 5});
    EXPECT_TRUE(waits.set(0, edges));
    EXPECT_EQ(waits.lent_to(Waits::kMostProcesses), 5);
    EXPECT_EQ(waits.lent_to(Waits::kMostProcesses + 1), INT32_MIN);
}

// Under every policy, the unit that the chosen one waits for runs beside it, and a unit that no other waits for does
// not.
TEST(Waits, UnderEveryPolicyWhoIsWaitedForRuns) {
    for (const policy::PolicyInfo& info : policy::policies()) {
        for (const bool waited_for : {false, true}) {
            WholeCore core(Core(policy::find_policy(info.name)->make(), kBelieving));
            std::vector<WaitEdge> edges;
            if (waited_for) edges = {{1, 2, 0}, {2, 3, 0}};
            core.waits().set(0, edges);
            UnitState units[] = {Given{.id = 1, .priority = 5, .ready = true, .ready_since_ns = kStart},
                                 Given{.id = 2, .priority = 0, .ready = true, .ready_since_ns = kStart},
                                 Given{.id = 3, .priority = 0, .ready = true, .ready_since_ns = kStart}};
            int ran_alone = 0;
            for (int step = 0; step < 200; ++step) {
                const auto& plan = core.decide(units, kStart + step * kMs);
                const bool first = !plan.verdicts[0].suspend, last = !plan.verdicts[2].suspend;
                EXPECT_TRUE(!waited_for || !first || last) << info.name << " at " << step;
                ran_alone += first && !last ? 1 : 0;
            }
            EXPECT_TRUE(!waited_for || ran_alone == 0) << info.name;
            EXPECT_TRUE(waited_for || std::string(info.name) != "HPF" || ran_alone == 200);
        }
    }
}

TEST(Waits, WhatMayNotRunIsNotMadeToRun) {
    WholeCore core = hpf_core();
    std::vector<WaitEdge> edges{{1, 2, 5}};
    core.waits().set(0, edges);
    UnitState units[] = {Given{.id = 1, .priority = 5, .ready = true, .ready_since_ns = kStart},
                         Given{.id = 2, .priority = 0, .ready = true, .ready_since_ns = kStart}};
    EXPECT_FALSE(core.decide(units, kStart).verdicts[1].suspend);
    units[1].suspended_by_person = true;
    EXPECT_TRUE(core.decide(units, kStart + kMs).verdicts[1].suspend);
}

}  // namespace
}  // namespace xsched::sched::testing
