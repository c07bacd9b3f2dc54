// The accounts: what is counted for whom, what is refused, and what comes back.
#include "server/users.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

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

TEST(Users, AMemberThatIsTrustedLaterIsCountedElsewhere) {
    Users users("/nowhere");
    users.set_descriptors(1000);
    auto before = users.of(ordinary(1000)).charge(Limit::kDescriptors, 700);
    ASSERT_TRUE(before);
    users.of(trusted(1000));
    EXPECT_TRUE(users.of(ordinary(1001)).charge(Limit::kDescriptors, 700)) << "no longer among the ordinary";
    before.reset();
    EXPECT_FALSE(users.of(ordinary(1001)).charge(Limit::kDescriptors, 800)) << "and not given back twice";
}

TEST(Users, SubordinateUsersAreTheirOwners) {
    char name[] = "/tmp/xsched-subuid-XXXXXX";
    const int fd = mkstemp(name);
    const std::string text = "root:100000:65536\n1234:200000:10\n# comment\nnonsense\nnobodyknowsthis:1:1\n";
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
    Users users(name);
    EXPECT_EQ(users.of(ordinary(100007)).uid(), 100000U) << "root's container is not root";
    EXPECT_EQ(users.of(ordinary(165535)).uid(), 100000U);
    EXPECT_EQ(users.of(ordinary(165536)).uid(), 165536U);
    EXPECT_EQ(users.of(ordinary(200009)).uid(), 1234U);
    EXPECT_EQ(&users.of(ordinary(200001)), &users.of(ordinary(200002)));
    EXPECT_EQ(users.of(ordinary(1)).uid(), 1U) << "a name that this machine does not know";
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
