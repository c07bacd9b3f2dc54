// Urgent programs that keep others off and get nothing done: they are believed for a while, and not for ever.
#include "server/hostile.h"

namespace xsched::test {
namespace {

class ClaimAttack : public UnderAttack {
protected:
    // An urgent client that submits one command, which never completes; then it does what `then` says.
    static std::function<bool()> urgent(const std::string& path, int32_t priority, const std::function<void()>& then) {
        return [path, priority, then] {
            static TestClient client(path, "urgent");
            if (!client.connected()) return false;
            client.add_queue(0, priority, 0x99);
            client.submit(0);
            if (fork() == 0) {  // after its parent has said that it is ready
                usleep(200'000);
                then();
                _exit(0);
            }
            return true;
        };
    }
    // Returns the part of these milliseconds during which the server lets the client's queue run.
    static double share_of(TestClient& client, int milliseconds) {
        int open = 0;
        for (int i = 0; i < milliseconds; ++i) {
            open += client.slot(0).suspended.load() == 0 ? 1 : 0;
            usleep(1000);
        }
        return static_cast<double>(open) / milliseconds;
    }
    static bool gets_most_of_the_device(TestClient& client) {
        return eventually([&client] { return share_of(client, 500) > 0.9; });
    }
};

TEST_F(ClaimAttack, AnUrgentProgramThatIsStopped) {
    server->stop();
    start_system({"--starvation-limit-ms", "0"});  // which would let others go on after a second
    const std::string path = socket();
    TestClient low(path, "low");
    low.add_queue(0, 0, 0x1);
    low.submit(0);
    const auto stop_parent = [] { kill(getppid(), SIGSTOP); };
    Attacker attacker(kAttackerUid, urgent(path, 100, stop_parent));
    ASSERT_TRUE(attacker.ready());
    ASSERT_TRUE(low.becomes_suspended(0, true));
    const int64_t began = base::now_ns();
    EXPECT_TRUE(low.becomes_suspended(0, false));
    EXPECT_LE((base::now_ns() - began) / base::kMillisecond, 1500) << "sooner than one that only hangs";
    EXPECT_TRUE(gets_most_of_the_device(low));
    // The attacker continues, and its claim counts again with the next command that completes.
    kill(attacker.pid(), SIGCONT);
}

TEST_F(ClaimAttack, ReadyForEverAndNeverDone) {
    const std::string path = socket();
    TestClient low(path, "low");
    low.add_queue(0, 0, 0x1);
    low.submit(0);
    Attacker attacker(kAttackerUid, urgent(path, 255, [] {}));
    ASSERT_TRUE(attacker.ready());
    EXPECT_TRUE(gets_most_of_the_device(low));
}

// An ordinary user's highest priority is lower than root's, whatever the user writes into slots.
TEST_F(ClaimAttack, PrioritiesAboveTheLimit) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, urgent(path, 255, [] {}));
    ASSERT_TRUE(attacker.ready());
    TestClient mine(path, "mine");
    mine.add_queue(0, 128, 0x2);
    mine.submit(0);
    EXPECT_FALSE(eventually([&] { return mine.slot(0).suspended.load() != 0; }, 300));
    mine.slot(0).priority = 126;
    mine.complete(0);
    mine.submit(0);
    EXPECT_TRUE(eventually([&] { return mine.slot(0).suspended.load() != 0; }, 1500));
}

TEST_F(ClaimAttack, AThousandQueuesOfAllPriorities) {
    const std::string path = socket();
    std::vector<std::unique_ptr<Attacker>> attackers;
    for (int i = 0; i < 3; ++i)
        attackers.push_back(std::make_unique<Attacker>(kAttackerUid + 0, [&] {
            static TestClient client(path, "many");
            if (!client.connected()) return false;
            for (unsigned at = 0; at < ipc::kMostQueues; ++at)
                client.add_queue(at, static_cast<int32_t>(at % 511) - 255, 0x1000 + at);
            for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.submit(at);
            return true;
        }));
    for (const auto& attacker : attackers) ASSERT_TRUE(attacker->ready());
    expect_answers();
    const Json answer = TestTool(path).ask({{"cmd", "limits"}});
    for (const Json& user : answer["users"])
        for (const Json& limit : user["limits"])
            if (user["uid"] == kAttackerUid && limit["name"] == "priorities") {
                EXPECT_EQ(limit["used"], 16) << user;
            }
    // Root's are above all of them.
    TestClient low(path, "low");
    TestClient high(path, "high");
    low.add_queue(0, 150, 0x1);
    high.add_queue(0, 200, 0x2);
    low.submit(0);
    std::vector<int64_t> times;
    for (int i = 0; i < 50; ++i) {
        const int64_t began = base::now_ns();
        high.submit(0);
        ASSERT_TRUE(low.becomes_suspended(0, true));
        times.push_back(base::now_ns() - began);
        high.complete(0);
        ASSERT_TRUE(low.becomes_suspended(0, false));
    }
    std::sort(times.begin(), times.end());
    EXPECT_LE(times[25] / base::kMillisecond, kSlower == 1 ? 20 : 200) << "half a second before limits";
}

// The server reads a client with very many queues in parts. The attacker moves one of them to a new device all the
// time, which must not disturb decisions about others.
TEST_F(ClaimAttack, QueuesThatMoveBetweenDevices) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        if (fork() != 0) return true;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        TestClient client(path, "moving");
        for (unsigned at = 0; at < ipc::kMostQueues; ++at) {
            client.add_queue(at, 0, 0x1000 + at);
            client.submit(at);
        }
        for (uint64_t device = 1000;; ++device) {  // a device that the server has not seen
            client.slot(5).device = device;
            ring_doorbell(client.header());
            usleep(100);
        }
    });
    ASSERT_TRUE(attacker.ready());
    TestClient client(path);
    client.add_queue(0, 0, 0x1);
    for (int i = 0; i < 1000; ++i) {
        client.slot(0).priority = 10 + i % 2;
        client.submit(0);
        usleep(1000);
        client.complete(0);
        usleep(100);
    }
    expect_answers();
    expect_scheduling();
    EXPECT_EQ(waitpid(server->pid(), nullptr, WNOHANG), 0) << "it lives";
}

}  // namespace
}  // namespace xsched::test
