// The limits of the clients of one user together.
#include "dispatch/user_share.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class UserShares : public ::testing::Test {
protected:
    ClientView view(FakeClient& client) {
        ClientView result = client.view();
        result.limits = limits;
        result.record = std::make_shared<ClientRecord>();
        records.push_back(result.record);
        return result;
    }
    uint32_t scheduled(size_t client) {
        uint32_t count = 0;
        for (uint32_t at = 0; at < ipc::kMostQueues; ++at)
            if (const QueueRecord* queue = records[client]->find(at)) count += queue->used;
        return count;
    }

    std::shared_ptr<UserLimits> limits = std::make_shared<UserLimits>();
    std::vector<std::shared_ptr<ClientRecord>> records;
    FakeClient one{1, 100};
    FakeClient two{2, 200};
    FakeClient other{3, 300};
    Dispatcher dispatcher{hpf_core()};
};

TEST_F(UserShares, FurtherQueuesRunUnscheduledUntilThereIsRoom) {
    limits->queues = 3;
    for (uint32_t at = 0; at < 2; ++at) {
        one.make_queue(at, 0);
        two.make_queue(at, 0);
    }
    other.make_queue(0, 10);
    other.submit(0, kStart);
    dispatcher.add_client(view(one));
    dispatcher.add_client(view(two));
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    EXPECT_EQ(limits->queues_used, 3U);
    EXPECT_EQ(scheduled(0) + scheduled(1), 3U);
    EXPECT_EQ(records[1]->unscheduled, 1U);
    EXPECT_TRUE(two.suspended(0));
    EXPECT_FALSE(two.suspended(1)) << "left alone";
    one.free_queue(0);
    dispatcher.pass(kStart + kMs);
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_EQ(limits->queues_used, 3U);
    EXPECT_TRUE(two.suspended(1));
    dispatcher.remove_client(1);
    dispatcher.remove_client(2);
    EXPECT_EQ(limits->queues_used, 0U);
    EXPECT_EQ(limits->priorities_used, 0U);
}

TEST_F(UserShares, SlotsThatTheServerHasNoMemoryForAreNotRead) {
    limits->slots = 2;
    for (uint32_t at = 0; at < 4; ++at) one.make_queue(at, 0);
    other.make_queue(0, 10);
    other.submit(0, kStart);
    dispatcher.add_client(view(one));
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    EXPECT_EQ(limits->queues_used, 2U);
    EXPECT_TRUE(one.suspended(1));
    EXPECT_FALSE(one.suspended(2)) << "it runs unscheduled";
    EXPECT_EQ(records[0]->find(1023), nullptr);
}

TEST_F(UserShares, NobodyIsMoreUrgentThanHisUserMayBe) {
    limits->highest_priority = 5;
    one.make_queue(0, 255);
    other.make_queue(0, 6);
    one.submit(0, kStart);
    other.submit(0, kStart);
    dispatcher.add_client(view(one));
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    EXPECT_TRUE(one.suspended(0));
    EXPECT_FALSE(other.suspended(0));
    EXPECT_EQ(records[0]->find(0)->priority, 5);
    limits->highest_priority = 7;
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(other.suspended(0)) << "raised while it runs";
}

TEST_F(UserShares, NorThanHisControlGroupMayBe) {
    limits->highest_priority = 7;
    ClientView with = view(one);
    with.group = std::make_shared<GroupShare>();
    with.group->highest_priority = 5;
    one.make_queue(0, 255);
    other.make_queue(0, 6);
    one.submit(0, kStart);
    other.submit(0, kStart);
    dispatcher.add_client(with);
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    EXPECT_TRUE(one.suspended(0));
    EXPECT_FALSE(other.suspended(0));
    with.group->highest_priority = PRIORITY_MAX;
    dispatcher.look_at(with.id);
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(other.suspended(0)) << "raised while it runs, to what its user may have";
}

TEST_F(UserShares, NorWithWorkThatIsCritical) {
    limits->highest_priority = 5;
    Dispatcher lax{sched::Core(policy::find_policy("LAX")->make())};
    one.make_queue(0, 0);
    one.slot(0).laxity_us = 1;
    one.slot(0).lax_priority = one.slot(0).critical_priority = PRIORITY_MAX;
    other.make_queue(0, 6);
    one.submit(0, kStart);
    other.submit(0, kStart);
    lax.add_client(view(one));
    lax.add_client(other.view());
    for (const int64_t now : {kStart, kStart + kMs}) {  // before, and while it is
        lax.pass(now);
        EXPECT_TRUE(one.suspended(0));
        EXPECT_FALSE(other.suspended(0));
    }
}

TEST_F(UserShares, FurtherPrioritiesCountAsTheNextLower) {
    limits->priorities = 2;
    UserShare share(limits);
    EXPECT_EQ(share.take_priority(10), 10);
    EXPECT_EQ(share.take_priority(20), 20);
    EXPECT_EQ(share.take_priority(15), 10);
    EXPECT_EQ(share.take_priority(255), 20);
    EXPECT_EQ(share.take_priority(-255), 10) << "none is lower";
    EXPECT_EQ(share.take_priority(PRIORITY_NO_EXECUTE), PRIORITY_NO_EXECUTE);
    EXPECT_EQ(limits->priorities_used, 2U);
    for (const int32_t granted : {10, 20, 10, 20, 10}) share.return_priority(granted);
    EXPECT_EQ(limits->priorities_used, 0U);
    EXPECT_EQ(share.take_priority(15), 15);
}

// Returns the account by which the unit of a client counts.
policy::Unit seen(FakeClient& client, const ClientView& view) {
    struct Looks final : policy::Policy {
        int64_t choose(std::span<const policy::Unit> units, int64_t, std::span<policy::Choice>) override {
            *last = units[0];
            return 0;
        }
        policy::Unit* last = nullptr;
    };
    policy::Unit unit;
    auto looks = std::make_unique<Looks>();
    looks->last = &unit;
    Dispatcher dispatcher{sched::Core(std::move(looks))};
    client.make_queue(0, 0);
    client.slot(0).limit = 40;
    dispatcher.add_client(view);
    dispatcher.pass(kStart);
    return unit;
}

TEST_F(UserShares, AGroupsShareIsAnAccountOfItsOwn) {
    ClientView with = view(one);
    with.group = std::make_shared<GroupShare>();
    limits->account = 7;
    EXPECT_EQ(seen(one, with).account, 0U);
    EXPECT_EQ(seen(one, with).limit, 40);
    EXPECT_EQ(seen(one, with).process_limit, 0);
    with.group->account = 9;
    with.group->share = 30;
    with.group->limit = 50;
    EXPECT_EQ(seen(one, with).account, 9U);
    EXPECT_EQ(seen(one, with).share, 30);
    EXPECT_EQ(seen(one, with).limit, 50);
    EXPECT_EQ(seen(one, with).process_limit, 40) << "its own counts beside the group's";
    limits->limit = 20;  // an administrator said it of the user
    EXPECT_EQ(seen(one, with).account, 7U);
    EXPECT_EQ(seen(one, with).limit, 20);
    with.group->trusted = true;
    EXPECT_EQ(seen(one, with).account, 9U);
}

// The use that a queue reports while others ran beside it: its part, or, as the real ones, all of that time.
enum class Says { kItsPart, kAllOfTheTime };

// Returns the use of each queue, in percent of all, after two seconds in which all want the device under PUP.
std::vector<int> shares_of(const std::vector<std::pair<FakeClient*, uint32_t>>& queues, bool by_queue,
                           const std::function<std::shared_ptr<UserLimits>(const FakeClient*)>& user,
                           Says says = Says::kItsPart) {
    Dispatcher dispatcher{sched::Core(policy::find_policy("PUP")->make())};
    std::set<FakeClient*> clients;
    for (const auto& [client, at] : queues) {
        client->make_queue(at, 0);
        client->submit(at, kStart, 1'000'000);
        clients.insert(client);
    }
    for (FakeClient* client : clients) {
        ClientView view = client->view();
        view.shares_by_queue = by_queue;
        view.limits = user(client);
        dispatcher.add_client(view);
    }
    std::vector<int64_t> had_ns(queues.size());
    constexpr int64_t kStep = 100 * kUs;
    for (int64_t now_ns = kStart; now_ns < kStart + 2000 * kMs; now_ns += kStep) {
        dispatcher.pass(now_ns);
        int64_t running = 0;
        for (const auto& [client, at] : queues) running += client->suspended(at) ? 0 : 1;
        for (size_t i = 0; i < queues.size(); ++i) {
            const auto& [client, at] = queues[i];
            if (client->suspended(at)) continue;
            had_ns[i] += kStep / running;
            client->slot(at).busy_ns += says == Says::kItsPart ? kStep / running : kStep;
            ++client->slot(at).completed;
        }
    }
    std::vector<int> percent;
    for (const int64_t ns : had_ns) percent.push_back(static_cast<int>((ns * 100 + 1000 * kMs) / (2000 * kMs)));
    return percent;
}

TEST_F(UserShares, AProgramOrAQueueSharesByItself) {
    const std::vector<std::pair<FakeClient*, uint32_t>> queues{{&one, 0}, {&one, 1}, {&one, 2}, {&two, 0}};
    const auto nobodys = [](const FakeClient*) { return nullptr; };
    const std::vector<int> by_program = shares_of(queues, false, nobodys);
    EXPECT_NEAR(by_program[3], 50, 2);
    const std::vector<int> by_queue = shares_of(queues, true, nobodys);
    for (const int percent : by_queue) EXPECT_NEAR(percent, 25, 2);
}

TEST_F(UserShares, QueuesThatRunSideBySidePayOnce) {
    const std::vector<std::pair<FakeClient*, uint32_t>> queues{{&one, 0}, {&one, 1}, {&one, 2}, {&two, 0}};
    const auto nobodys = [](const FakeClient*) { return nullptr; };
    EXPECT_NEAR(shares_of(queues, false, nobodys, Says::kAllOfTheTime)[3], 50, 2) << "queues of one unit";
    auto first = std::make_shared<UserLimits>(), second = std::make_shared<UserLimits>();
    first->account = 1;
    second->account = 2;
    first->shares_as_one = second->shares_as_one = true;
    const auto users = [&](const FakeClient* client) { return client == &other ? second : first; };
    const std::vector<int> had = shares_of({{&one, 0}, {&two, 0}, {&other, 0}}, false, users, Says::kAllOfTheTime);
    EXPECT_NEAR(had[2], 50, 2) << "programs of one user";
}

TEST_F(UserShares, AQueueHasAShareOfItsOwn) {
    one.make_queue(0, 0);
    one.slot(0).share = 60;
    one.slot(1).share = 10;
    two.slot(0).share = 30;
    const std::vector<int> had =
        shares_of({{&one, 0}, {&one, 1}, {&two, 0}}, true, [](const FakeClient*) { return nullptr; });
    EXPECT_NEAR(had[0], 60, 2);
    EXPECT_NEAR(had[1], 10, 2);
    EXPECT_NEAR(had[2], 30, 2);
}

TEST_F(UserShares, AllOfAUserShareAsOneEvenWhereQueuesWould) {
    auto first = std::make_shared<UserLimits>(), second = std::make_shared<UserLimits>();
    first->account = 1;
    second->account = 2;
    first->shares_as_one = second->shares_as_one = true;
    for (const bool by_queue : {false, true}) {
        const std::vector<int> had = shares_of({{&one, 0}, {&two, 0}, {&two, 1}, {&other, 0}}, by_queue,
                                               [&](const FakeClient* it) { return it == &other ? second : first; });
        EXPECT_NEAR(had[3], 50, 2) << "whoever of them has more programs and queues";
    }
}

}  // namespace
}  // namespace xsched::dispatch
