// The accounts: what is counted for whom, what is refused, and what comes back.
#include "server/limits/users.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "ipc/layout.h"

namespace xsched::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

Peer ordinary(uid_t uid) { return {100, uid, false}; }
Peer trusted(uid_t uid) { return {100, uid, true}; }

TEST(Users, AChargeComesBackByItself) {
    Users users("/nowhere");
    User& user = users.of(ordinary(1000));
    {
        const auto charge = user.charge(Limit::kClients, 3);
        ASSERT_TRUE(charge);
        EXPECT_EQ(user.used(Limit::kClients), 3);
        Charge moved;
        {
            auto other = user.charge(Limit::kClients);
            moved = std::move(*other);
        }
        EXPECT_EQ(user.used(Limit::kClients), 4);
    }
    EXPECT_EQ(user.used(Limit::kClients), 0);
}

TEST(Users, EachHasHisOwnAndTrustedOnesMore) {
    Users users("/nowhere");
    User& one = users.of(ordinary(1000));
    std::vector<Charge> charges;
    while (auto charge = one.charge(Limit::kTools)) charges.push_back(std::move(*charge));
    EXPECT_EQ(charges.size(), 16U);
    EXPECT_TRUE(users.of(ordinary(1001)).charge(Limit::kTools));
    EXPECT_EQ(users.of(trusted(0)).most(Limit::kTools), 128);
    EXPECT_EQ(users.of(ordinary(1000)).shared()->highest_priority.load(), 127);
    EXPECT_EQ(users.of(trusted(0)).shared()->highest_priority.load(), 255);
}

TEST(Users, AllOrdinaryUsersTogetherLeaveSome) {
    Users users("/nowhere");
    users.set_descriptors(1000);
    std::vector<Charge> charges;
    for (uid_t uid = 1000; uid < 1020; ++uid)
        while (auto charge = users.of(ordinary(uid)).charge(Limit::kDescriptors, 50))
            charges.push_back(std::move(*charge));
    EXPECT_EQ(charges.size(), 750U / 50);
    EXPECT_TRUE(users.of(trusted(0)).charge(Limit::kDescriptors, 50));
}

TEST(Users, MayHaveSoMuchMemoryTogether) {
    Users users("/nowhere");
    const auto& shared = *users.of(ordinary(1000)).shared();
    EXPECT_EQ(shared.memory_limit.load(), 0U) << "no limit";
    users.set(read_limit("1000:memory-limit=20GiB", false));
    users.set(read_limit("memory-guarantee=1.5GiB", false));
    EXPECT_EQ(shared.memory_limit.load(), uint64_t{20} << 30);
    EXPECT_EQ(shared.memory_guarantee.load(), uint64_t{3} << 29);
    EXPECT_EQ(users.of(ordinary(1001)).shared()->memory_limit.load(), 0U);
    EXPECT_EQ(users.of(trusted(0)).shared()->memory_guarantee.load(), 0U);
    EXPECT_THROW(read_limit("memory-limit=20Gibberish", false), std::runtime_error);
    EXPECT_THROW(read_limit("memory-limit=1e9TiB", false), std::runtime_error);
}

// Adds clients of this user until one is refused. Returns how many there are.
size_t clients_of(Users& users, const Peer& peer, std::vector<Charge>& kept) {
    size_t count = 0;
    for (; auto charge = users.of(peer).charge(Limit::kClients); ++count) kept.push_back(std::move(*charge));
    return count;
}

TEST(Users, FitIntoTheControlGroupsMemoryTogetherAndLeaveRoomForRoot) {
    constexpr int64_t kGroup = 64 << 20;
    constexpr int64_t kQueueBytes = 6 << 10;
    Users users("/nowhere");
    users.set_room({.memory_bytes = kGroup});
    std::vector<Charge> kept;
    const size_t others = clients_of(users, ordinary(1000), kept) + clients_of(users, ordinary(1001), kept);
    EXPECT_GT(others, 15U);
    EXPECT_EQ(users.of(ordinary(1002)).most(Limit::kClients), static_cast<int64_t>(others)) << "as is shown";
    const size_t roots = clients_of(users, trusted(0), kept);
    EXPECT_GT(roots, 5U);
    const uint32_t slots = users.of(ordinary(1000)).shared()->slots.load();
    EXPECT_GE(slots, 64U);
    const int64_t client = static_cast<int64_t>(sizeof(ipc::Region)) + slots * kQueueBytes;
    EXPECT_LT(static_cast<int64_t>(others + roots) * client, kGroup - (24 << 20));
    users.set({.limit = Limit::kClients, .value = 500});
    users.set({.user = 0, .limit = Limit::kClients, .value = 500});
    EXPECT_EQ(clients_of(users, ordinary(1003), kept), 0U) << "nobody is given what is not there";
    EXPECT_EQ(clients_of(users, trusted(0), kept), 0U) << "nor is root";
    EXPECT_EQ(users.of(ordinary(1000)).most(Limit::kAnswerBytes), (5 << 20) * 3 / 4);
}

TEST(Users, AHugeControlGroupTakesNothingAway) {
    Users users("/nowhere");
    users.set_room({.memory_bytes = int64_t{64} << 30, .processes = 32768});
    std::vector<Charge> kept;
    EXPECT_EQ(clients_of(users, ordinary(1000), kept), 256U);
    EXPECT_EQ(users.of(trusted(0)).most(Limit::kClients), 4096);
    EXPECT_EQ(users.of(trusted(0)).shared()->slots.load(), ipc::kMostQueues);
}

TEST(Users, WhatRootHasIsNotThereForOthers) {
    Users users("/nowhere");
    users.set_descriptors(1000);
    const auto roots = users.of(trusted(0)).charge(Limit::kDescriptors, 900);
    ASSERT_TRUE(roots);
    EXPECT_FALSE(users.of(ordinary(1000)).charge(Limit::kDescriptors, 100));
    EXPECT_FALSE(users.of(trusted(0)).charge(Limit::kDescriptors, 100)) << "the server needs some itself";
}

TEST(Users, HaveNoMoreClientsThanThreadsCanHear) {
    Users users("/nowhere");
    users.set_room({.processes = 12});
    std::vector<Charge> kept;
    EXPECT_EQ(clients_of(users, ordinary(1000), kept), 12U / 2 * 31 * 3 / 4);
}

TEST(Users, AMemberThatIsTrustedLaterIsCountedElsewhere) {
    Users users("/nowhere");
    users.set_descriptors(1000);
    auto before = users.of(ordinary(1000)).charge(Limit::kDescriptors, 500);
    ASSERT_TRUE(before);
    users.of(trusted(1000));
    EXPECT_TRUE(users.of(ordinary(1001)).charge(Limit::kDescriptors, 450)) << "no longer among the ordinary";
    before.reset();
    EXPECT_FALSE(users.of(ordinary(1001)).charge(Limit::kDescriptors, 800)) << "and not given back twice";
}

TEST(Users, SubordinateUsersAreTheirOwners) {
    char name[] = "/tmp/xsched-subuid-XXXXXX";
    const int fd = mkstemp(name);
    const std::string text =
        "root:100000:65536\n1234:200000:10\n# comment\nnonsense\nnobodyknowsthis:1:1\nroot:0:70000\n1234:0:9\n";
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
    Users users(name);
    EXPECT_EQ(users.of(ordinary(100007)).uid(), 100000U) << "root's container is not root";
    EXPECT_EQ(users.of(ordinary(165535)).uid(), 100000U);
    EXPECT_EQ(users.of(ordinary(165536)).uid(), 165536U);
    EXPECT_EQ(users.of(ordinary(200009)).uid(), 1234U);
    EXPECT_EQ(&users.of(ordinary(200001)), &users.of(ordinary(200002)));
    EXPECT_EQ(users.of(ordinary(1)).uid(), 1U) << "a name that this machine does not know";
    EXPECT_EQ(users.of(ordinary(60000)).uid(), 60000U) << "a range with root in it makes nobody root";
    EXPECT_EQ(users.of(trusted(0)).uid(), 0U) << "nor root somebody else";
    EXPECT_FALSE(users.of(ordinary(100000)).trusted());
    unlink(name);
}

TEST(Users, LimitsAreReadAndSet) {
    const LimitSetting all = read_limit("clients=500", false);
    EXPECT_FALSE(all.user);
    EXPECT_EQ(all.value, 500);
    const LimitSetting one = read_limit("1000:highest-priority=-5", false);
    EXPECT_EQ(one.user, 1000U);
    for (const char* bad : {"", "=", "clients", "clients=", "clients=5x", "clients=-1", "highest-priority=256", "x=1",
                            "root:clients=5", "-1:clients=5", ":clients=5"})
        EXPECT_THROW(read_limit(bad, false), std::runtime_error) << bad;
    EXPECT_EQ(read_limit("root:clients=5", true).user, 0U);
    Users users("/nowhere");
    User& user = users.of(ordinary(1000));
    users.set(all);
    users.set(one);
    EXPECT_EQ(user.most(Limit::kClients), 500);
    EXPECT_EQ(user.shared()->highest_priority.load(), -5);
    EXPECT_EQ(users.of(ordinary(1001)).most(Limit::kClients), 500);
    EXPECT_EQ(users.of(ordinary(1001)).most(Limit::kHighestPriority), 127);
    EXPECT_EQ(users.of(trusted(0)).most(Limit::kClients), 4096);
}

TEST(Users, LinesAreCountedByTheSecond) {
    Users users("/nowhere");
    User& user = users.of(ordinary(1000));
    int lines = 0;
    for (int i = 0; i < 100; ++i) lines += user.may_log(5 * kSecond + i) ? 1 : 0;
    EXPECT_EQ(lines, 20);
    EXPECT_EQ(users.due_ns(), 6 * kSecond) << "then it says how many were left out";
    EXPECT_TRUE(users.of(ordinary(1001)).may_log(5 * kSecond));
    EXPECT_TRUE(user.may_log(6 * kSecond));
    users.tell_left_out(6 * kSecond);
    EXPECT_EQ(users.due_ns(), 0);
}

}  // namespace
}  // namespace xsched::server
