// How much of a pass is for the clients of one user.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dispatch/limited_clients.h"
#include "dispatch/prices.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

using PassAllowances = LimitedClients;

TEST_F(PassAllowances, ReadingTheSlotsOfOneUserDoesNotDelayAnother) {
    std::vector<std::unique_ptr<FakeClient>> crowd;
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < 20; ++i) {
        crowd.push_back(std::make_unique<FakeClient>(100 + i, 1000 + i));
        for (uint32_t at = 0; at < 200; ++at) crowd.back()->make_queue(at, 0, 7);
        dispatcher.add_client(view(*crowd.back()));
        ids.push_back(100 + i);
    }
    one.make_queue(0, 0);
    other.make_queue(0, 10);
    dispatcher.add_client(one.view());
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    other.submit(0, kStart);
    ids.push_back(3);
    int64_t now = kStart + kMs;
    int64_t again = dispatcher.pass(now, ids);
    EXPECT_TRUE(one.suspended(0)) << "in the first pass";
    for (int i = 0; i < 40 && again == now; ++i) again = dispatcher.pass(now, {});
    EXPECT_GT(again, now) << "others have a processor meanwhile";
    EXPECT_LE(again, now + kMs) << "the rest follows soon";
    for (int i = 0; i < 300 && again != 0 && again <= now + kMs; ++i) again = dispatcher.pass(now = again, {});
    EXPECT_TRUE(again == 0 || again > now + kMs) << "and comes to its end";
    EXPECT_LT(now, kStart + 20 * kMs);
}

TEST_F(PassAllowances, ClientsOfManyQueuesAreReadByTheNextPass) {
    one.make_queue(0, 0);
    for (uint32_t at = 0; at < 65; ++at) two.make_queue(at, 0, 7);
    other.make_queue(0, 10);
    dispatcher.add_client(one.view());
    dispatcher.add_client(view(two));
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    one.submit(0, kStart);
    other.submit(0, kStart);
    const std::vector<uint32_t> all{1, 2, 3};
    const int64_t charged_ns = limits->looking.used_until_ns;
    EXPECT_EQ(dispatcher.pass(kStart, all), kStart) << "the next one follows at once";
    EXPECT_TRUE(one.suspended(0));
    EXPECT_EQ(limits->looking.used_until_ns, charged_ns) << "not yet read";
    dispatcher.pass(kStart, all);
    EXPECT_GT(limits->looking.used_until_ns, charged_ns) << "though the others rang again";
    const int64_t again_ns = limits->looking.used_until_ns;
    dispatcher.pass(kStart + kMs, all);
    EXPECT_EQ(limits->looking.used_until_ns, again_ns) << "put off again";
    dispatcher.pass(kStart + kMs, {});
    const int64_t read_ns = limits->looking.used_until_ns;
    EXPECT_GT(read_ns, again_ns);
    dispatcher.pass(kStart + 2 * kMs, all);
    EXPECT_EQ(limits->looking.used_until_ns, read_ns) << "also where nobody rang meanwhile";
}

// Returns the time of a clock that moves on by 1 ms at each call.
int64_t slow_clock() {
    static int64_t now_ns = 0;
    return now_ns += kMs;
}

TEST_F(PassAllowances, WhatTakesLongIsChargedForTheTimeItTook) {
    for (const bool slow : {false, true}) {
        const auto user = std::make_shared<UserLimits>();
        FakeClient client{10, 100};
        Dispatcher its{hpf_core()};
        its.add_client(other.view());
        if (slow) its.measure_with(slow_clock);
        ClientView its_view = client.view();
        its_view.limits = user;
        client.make_queue(0, 0);
        its.add_client(its_view);
        its.pass(kStart);
        const std::vector<uint32_t> rung{10};
        client.submit(0, kStart + kMs);
        its.pass(kStart + kMs, rung);
        EXPECT_EQ(user->looking.is_spent(kStart + 2 * kMs), slow);
        EXPECT_EQ(user->unheard_until_ns > kStart + 2 * kMs, slow) << "its rings wake nobody";
    }
}

// One pass writes as many slots of a user's as take about as long as a pass without other users. A client that
// rings between two passes comes first.
TEST_F(PassAllowances, WritingTheSlotsOfOneUserDoesNotDelayAnother) {
    constexpr uint32_t kMany = ipc::kMostQueues;
    FakeClient another{4, 400};
    for (uint32_t at = 0; at < kMany; ++at) {
        one.make_queue(at, 0, 7);
        one.submit(at, kStart);
    }
    two.make_queue(0, 10, 7);
    other.make_queue(0, 0);
    another.make_queue(0, 10);
    other.submit(0, kStart);
    dispatcher.add_client(view(one));
    dispatcher.add_client(two.view());
    dispatcher.add_client(other.view());
    dispatcher.add_client(another.view());
    dispatcher.pass(kStart);
    dispatcher.pass(kStart);
    const auto written = [&] {
        uint32_t count = 0;
        for (uint32_t at = 0; at < kMany; ++at) count += one.suspended(at) ? 1 : 0;
        return count;
    };
    ASSERT_EQ(written(), 0U);
    // Passes until nothing is left to do soon: returns how many, and looks at how much each of them wrote.
    int64_t now = kStart;
    const auto pass = [&](const std::vector<uint32_t>& rung) {
        const uint32_t before = written();
        const int64_t again = dispatcher.pass(now, rung);
        const uint32_t after = written();
        EXPECT_LE(std::max(before, after) - std::min(before, after), 128U);
        return again;
    };
    const auto settle = [&](uint32_t rung) {
        int64_t again = pass({rung});
        int passes = 1;
        for (; passes < 300 && again != 0 && again <= now + kMs; ++passes) again = pass({(now = again, 0U)});
        now += 20 * kMs;
        return passes;
    };
    two.submit(0, kStart);
    EXPECT_GE(settle(2), static_cast<int>(kMany / 128));
    EXPECT_EQ(written(), kMany);
    two.complete(0, now);
    pass({2});
    another.submit(0, now);
    pass({4});
    EXPECT_TRUE(other.suspended(0)) << "between two parts";
    EXPECT_GT(written(), 0U);
    // Decide again while the directives are written in parts: the new decision must reach all queues.
    two.submit(0, now);
    settle(2);
    EXPECT_EQ(written(), kMany);
    two.complete(0, now);
    settle(2);
    EXPECT_EQ(written(), 0U) << "nothing is lost";
}

// If there are other users, a user's rings are counted, and a user that rings more often than allowed is ignored for
// a while (server/thread/doorbells.h).
TEST_F(PassAllowances, RingsCountWhereThereAreOtherUsers) {
    one.make_queue(0, 0);
    dispatcher.add_client(view(one));
    const uint32_t rung[] = {1};
    int64_t now_ns = kStart;
    const auto ring_for_a_while = [&] {
        for (int i = 0; i < 1000; ++i) dispatcher.pass(now_ns += 20 * kUs, rung);
    };
    ring_for_a_while();
    EXPECT_FALSE(dispatcher.has_several_users());
    EXPECT_LE(limits->ringing.used_until_ns, now_ns) << "nobody is disturbed";
    other.make_queue(0, 10);
    ClientView others = other.view();
    others.limits = std::make_shared<UserLimits>();
    dispatcher.add_client(others);
    EXPECT_TRUE(dispatcher.has_several_users());
    for (int i = 0; i < 100; ++i) dispatcher.pass(now_ns += kUs, rung);
    EXPECT_LE(limits->ringing.used_until_ns, now_ns) << "so many may come at once";
    ring_for_a_while();
    EXPECT_GT(limits->ringing.used_until_ns, now_ns);
    EXPECT_LE(others.limits->ringing.used_until_ns, now_ns);
    EXPECT_LE(limits->ringing.used_until_ns, now_ns + 2 * kMs) << "however much he rang";
    dispatcher.remove_client(other.view().id);
    EXPECT_FALSE(dispatcher.has_several_users());
}

}  // namespace
}  // namespace xsched::dispatch
