// The recent use of devices by programs: a table that one user does not fill, and sums that no client breaks.
#include "server/device_use.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <vector>

namespace xsched::server {
namespace {

constexpr int64_t kFirstLookNs = 1000 * base::kSecond;

class DeviceUseTest : public ::testing::Test {
protected:
    // A client with so many queues, each on a device of its own unless told otherwise.
    Client& add_client(uint32_t id, uid_t uid, uint32_t queues, uint64_t device = 0) {
        const Peer peer{0, uid, false};
        auto client = std::make_unique<Client>(id, peer, users.of(peer), "program", static_cast<int32_t>(id));
        int ends[2] = {-1, -1};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        const base::UniqueFd other(ends[1]);
        client->keep(base::UniqueFd(ends[0]), {});  // from then on it is a process of its own
        EXPECT_TRUE(client->take_region(ipc::map_new_region(client->file(), id, getpid())));
        for (uint32_t at = 0; at < queues; ++at) {
            ipc::QueueSlot& slot = client->region().slots[at];
            slot.device = device != 0 ? device : uint64_t{id} << 32 | at;
            slot.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
        }
        client->header().slot_end = queues;
        return *(clients[id] = std::move(client));
    }
    void look_twice() {
        use.begin(kFirstLookNs);
        use.look(clients, kFirstLookNs);
        for (auto& [id, client] : clients)
            for (ipc::QueueSlot& slot : client->region().slots)
                if (slot.busy_ns == 0) slot.busy_ns = base::kSecond / 2;
        use.look(clients, kFirstLookNs + base::kSecond);
    }

    Users users{"/dev/null"};
    std::map<uint32_t, std::unique_ptr<Client>> clients;
    DeviceUse use{nullptr};
};

TEST_F(DeviceUseTest, OneUserLeavesRoomForOthers) {
    add_client(1, 2000, ipc::kMostQueues);
    add_client(2, 2000, ipc::kMostQueues);
    add_client(3, 2001, 1, 77);
    look_twice();
    size_t told = 0;
    for (const uint32_t id : {1U, 2U})
        for (uint32_t at = 0; at < ipc::kMostQueues; ++at)
            told += use.percent(clients[id]->process(), uint64_t{id} << 32 | at, 1) ? 1 : 0;
    EXPECT_EQ(told, UseTable::kMostOfUser);
    const auto other = use.percent(clients[3]->process(), 77, 1);
    ASSERT_TRUE(other.has_value());
    EXPECT_NEAR(*other, 50, 1);
}

TEST_F(DeviceUseTest, LooksGoOnWhileToolsAsk) {
    const Client& client = add_client(1, 2000, 1, 77);
    const auto look = [&](int second) {
        use.look(clients, kFirstLookNs + second * base::kSecond);
        return use.due_ns() != 0;
    };
    use.begin(kFirstLookNs);
    look(0);
    for (int second = 1; second <= 30; ++second) {
        use.begin(kFirstLookNs + second * base::kSecond);
        EXPECT_TRUE(look(second)) << second;
        EXPECT_EQ(use.percent(client.process(), 77, 1), 0) << second;
    }
    for (int second = 31; second < 45; ++second) EXPECT_EQ(look(second), second < 39) << second;
}

TEST_F(DeviceUseTest, ProgramsSideBySideHaveTheTimeOnce) {
    for (const uint32_t id : {1U, 2U, 3U}) add_client(id, 2000, 1, 77);
    use.begin(kFirstLookNs);
    use.look(clients, kFirstLookNs);
    for (int second = 1; second <= 3; ++second) {
        for (const auto& [id, client] : clients) {
            client->region().slots[0].busy_ns += id == 3 ? base::kSecond / 2 : base::kSecond;
            client->record()->make(0).running_ns += base::kSecond;
            client->record()->make(0).watched = 1;
        }
        use.look(clients, kFirstLookNs + second * base::kSecond);
        EXPECT_NEAR(use.percent(clients[1]->process(), 77, 1).value_or(-1), 40, 0.1);
        EXPECT_NEAR(use.percent(clients[2]->process(), 77, 1).value_or(-1), 40, 0.1);
        EXPECT_NEAR(use.percent(clients[3]->process(), 77, 1).value_or(-1), 20, 0.1);
    }
}

// A program held for most of the time leaves no time over that later uses could count as theirs.
TEST_F(DeviceUseTest, TimeInWhichAllWereHeldIsNobodys) {
    for (const uint32_t id : {1U, 2U}) add_client(id, 2000, 1, 77);
    int second = 0;
    const auto look = [&](int64_t percent_of_one, int64_t percent_of_other) {
        for (const uint32_t id : {1U, 2U}) {
            const int64_t ran_ns = (id == 1 ? percent_of_one : percent_of_other) * base::kSecond / 100;
            clients[id]->region().slots[0].busy_ns += ran_ns;
            clients[id]->record()->make(0).running_ns += ran_ns;
            clients[id]->record()->make(0).watched = 1;
        }
        use.look(clients, kFirstLookNs + ++second * base::kSecond);
        return use.percent(clients[1]->process(), 77, 1).value_or(-1);
    };
    use.begin(kFirstLookNs);
    use.look(clients, kFirstLookNs);
    for (int i = 0; i < 20; ++i) EXPECT_NEAR(look(30, 0), 30, 0.1);
    clients[1]->record()->make(0).running_ns += 20 * base::kSecond;  // with work, of which the device had little
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(look(100, 100), 50, 0.1) << i;
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(look(30, 0), 30, 0.1) << "nothing is owed from before";
}

// Time that queues use side by side counts once, although each reports that it had work on the device all the time.
TEST_F(DeviceUseTest, QueuesSideBySideHaveTheTimeOnce) {
    Client& client = add_client(1, 2000, 3, 77);
    const auto look = [&](int64_t second, const std::vector<int64_t>& had_ns, int64_t ran_ns) {
        for (uint32_t at = 0; at < had_ns.size(); ++at) {
            client.region().slots[at].busy_ns += had_ns[at];
            client.record()->make(at).running_ns += ran_ns;
            client.record()->make(at).watched = 1;
        }
        use.look(clients, kFirstLookNs + second * base::kSecond);
        return use.percent(client.process(), 77, 1).value_or(-1);
    };
    constexpr int64_t kMs = base::kMillisecond;
    use.begin(kFirstLookNs);
    EXPECT_EQ(look(0, {}, 0), -1);
    EXPECT_NEAR(look(1, {1000 * kMs, 1000 * kMs, 1000 * kMs}, 1000 * kMs), 100, 0.1) << "it has no more than all";
    EXPECT_NEAR(look(2, {400 * kMs, 400 * kMs, 0}, 200 * kMs), 60, 0.1) << "in as much time as all worked";
    EXPECT_NEAR(look(3, {300 * kMs, 0, 0}, 200 * kMs), 30, 0.1) << "one alone has what it says";
}

// A program that waits for three seconds of work at once, beside one that tells each second.
TEST_F(DeviceUseTest, WhatIsSaidLateIsSpreadOverTheNextSeconds) {
    Client& late = add_client(1, 2000, 1, 77);
    Client& other = add_client(2, 2000, 1, 77);
    const auto look = [&](int64_t second, int64_t late_ns, int64_t other_ns) {
        late.region().slots[0].busy_ns += late_ns;
        other.region().slots[0].busy_ns += other_ns;
        for (Client* client : {&late, &other}) client->record()->make(0).running_ns += base::kSecond;
        use.look(clients, kFirstLookNs + second * base::kSecond);
        const double of_late = use.percent(late.process(), 77, 1).value_or(0);
        EXPECT_LE(of_late + use.percent(other.process(), 77, 1).value_or(0), 100.01) << second;
        return of_late;
    };
    use.begin(kFirstLookNs);
    look(0, 0, 0);
    for (const int64_t second : {1, 2, 3}) EXPECT_NEAR(look(second, 0, base::kSecond / 5), 0, 0.1);
    EXPECT_GT(look(4, 3 * base::kSecond, base::kSecond / 5), 80);
    for (const int64_t second : {5, 6}) look(second, 0, base::kSecond / 5);
    for (const int64_t second : {7, 8}) look(second, 0, 0);
    EXPECT_NEAR(use.percent(late.process(), 77, 10).value_or(0) * 8, 300, 5);
    EXPECT_NEAR(look(9, 0, 0), 0, 0.1);
}

// Two queues, not followed by the scheduler, work in turns. The server has seen little of when they had the device,
// so the time that they report counts.
TEST_F(DeviceUseTest, QueuesThatAreLeftAloneHaveWhatTheySay) {
    Client& client = add_client(1, 2000, 2, 77);
    use.begin(kFirstLookNs);
    use.look(clients, kFirstLookNs);
    for (const int64_t second : {1, 2, 3}) {
        for (uint32_t at = 0; at < 2; ++at) {
            client.region().slots[at].busy_ns += 4 * base::kSecond / 10;
            client.record()->make(at);
        }
        use.look(clients, kFirstLookNs + second * base::kSecond);
        EXPECT_NEAR(use.percent(client.process(), 77, 1).value_or(-1), 80, 0.1);
    }
}

// Clients about whose queues nothing is heard are named, so that the scheduler decides whether to follow them.
TEST_F(DeviceUseTest, ClientsOfWhichNothingIsHeardAreNamed) {
    Client& client = add_client(1, 2000, 2, 77);
    ipc::QueueSlot& slot = client.region().slots[0];
    int64_t second = 0;
    const auto named = [&](uint64_t submitted, uint64_t completed, int64_t busy_ns) {
        slot.submitted += submitted;
        slot.completed += completed;
        slot.busy_ns += busy_ns;
        client.record()->make(0);
        return use.look(clients, kFirstLookNs + second++ * base::kSecond) == std::vector<uint32_t>{1};
    };
    use.begin(kFirstLookNs);
    EXPECT_FALSE(named(10, 0, 0)) << "never seen before";
    EXPECT_TRUE(named(10, 0, 0));
    EXPECT_FALSE(named(10, 5, base::kSecond / 2)) << "it waits for them";
    EXPECT_FALSE(named(0, 0, 0)) << "one long command, perhaps";
    client.record()->make(0).watched = 1;
    EXPECT_FALSE(named(10, 0, 0)) << "it is followed already";
}

TEST_F(DeviceUseTest, SumsOfAbsurdTimesStayAtTheirMost) {
    Client& client = add_client(1, 2000, ipc::kMostQueues, 77);
    for (ipc::QueueSlot& slot : client.region().slots) slot.busy_ns = INT64_MAX;
    look_twice();
    const auto percent = use.percent(client.process(), 77, 1);
    ASSERT_TRUE(percent.has_value());
    EXPECT_EQ(*percent, 0) << "no more than before";
}

}  // namespace
}  // namespace xsched::server
