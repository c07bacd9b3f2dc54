// Directives reach clients, whatever other clients do.
#include <sched.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <list>
#include <random>

#include "server/real_time_rights.h"
#include "server/server_threads.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

class Scheduling : public WithServer {};

TEST_F(Scheduling, HighSuspendsLowAndLetsItGoOn) {
    LowAndHigh clients(socket());
    ASSERT_TRUE(clients.connected());
    auto& [low, high] = clients;
    low.submit(0);
    for (int round = 0; round < 20; ++round) {
        high.submit(0);
        ASSERT_TRUE(low.becomes_suspended(0, true)) << "round " << round;
        EXPECT_EQ(high.slot(0).suspended.load(), 0U);
        high.complete(0);
        ASSERT_TRUE(low.becomes_suspended(0, false)) << "round " << round;
    }
}

// If the user may have real-time threads, the server's other threads, which work for strangers, cannot take the
// processor from the scheduling thread.
TEST_F(Scheduling, TheThreadThatDecidesIsOfTheRealTimeClass) {
    if (!may_be_real_time()) GTEST_SKIP() << "this user may not have threads of the real-time class";
    const auto policy_of = [](const std::filesystem::path& task) {
        return sched_getscheduler(std::stoi(task.filename())) & ~SCHED_RESET_ON_FORK;
    };
    // Wait until the scheduling thread has its name, which a new thread gives itself only after it has begun to run.
    ASSERT_GT(thread_named(server->pid(), "xserver-sched"), 0);
    int deciding = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(server->pid()) + "/task")) {
        std::string name;
        std::ifstream(task.path() / "comm") >> name;
        const bool decides = name == "xserver-sched";
        deciding += decides ? 1 : 0;
        // Wait for the class as well, which a thread gets only after its name.
        EXPECT_TRUE(eventually([&] { return policy_of(task.path()) == (decides ? SCHED_RR : SCHED_OTHER); })) << name;
    }
    EXPECT_EQ(deciding, 1);
}

TEST_F(Scheduling, EndOfTheHighProcessResumesTheLow) {
    TestClient low(socket(), "low");
    auto high = std::make_unique<TestClient>(socket(), "high");
    low.add_queue(0, 0, 0x1);
    high->add_queue(0, 10, 0x2);
    low.submit(0);
    high->submit(0);
    ASSERT_TRUE(low.becomes_suspended(0, true));
    high.reset();
    EXPECT_TRUE(low.becomes_suspended(0, false));
}

// A forked child may hold a copy of the lifeline: the end of the process itself counts.
TEST_F(Scheduling, EndOfAProcessIsSeenThroughAChildThatHoldsItsSocket) {
    TestClient low(socket(), "low");
    low.add_queue(0, 0, 0x1);
    low.submit(0);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        TestClient high(socket(), "high");
        high.add_queue(0, 10, 0x2);
        high.submit(0);
        const pid_t grandchild = fork();
        if (grandchild != 0) {
            if (write(ends[1], &grandchild, sizeof(grandchild)) < 0) _exit(1);
        }
        for (;;) pause();
    }
    pid_t grandchild = 0;
    ASSERT_EQ(read(ends[0], &grandchild, sizeof(grandchild)), static_cast<ssize_t>(sizeof(grandchild)));
    EXPECT_TRUE(low.becomes_suspended(0, true));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(low.becomes_suspended(0, false));
    kill(grandchild, SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

TEST_F(Scheduling, MoreClientsThanTheKernelCanWatch) {
    std::vector<std::unique_ptr<TestClient>> crowd;
    for (int i = 0; i < 200; ++i) {
        crowd.push_back(std::make_unique<TestClient>(socket()));
        ASSERT_TRUE(crowd.back()->connected()) << i;
        crowd.back()->add_queue(0, 0, 0x100 + i);
    }
    TestClient& low = *crowd[3];
    TestClient& high = *crowd[190];
    high.slot(0).priority = 5;
    low.submit(0);
    high.submit(0);
    EXPECT_TRUE(low.becomes_suspended(0, true));
    high.complete(0);
    EXPECT_TRUE(low.becomes_suspended(0, false));
    EXPECT_EQ(client_count(), 200);
    crowd.clear();
    EXPECT_TRUE(eventually([&] { return client_count() == 0; }));
}

TEST_F(Scheduling, ScribbledRegionsHarmNobodyElse) {
    LowAndHigh clients(socket());
    ASSERT_TRUE(clients.connected());
    auto& [low, high] = clients;
    low.submit(0);
    TestClient vandal(socket(), "vandal");
    ASSERT_TRUE(vandal.connected());
    std::mt19937 random(20240229);
    auto* words = reinterpret_cast<std::atomic<uint32_t>*>(&vandal.region());
    const size_t count = sizeof(ipc::Region) / sizeof(uint32_t);
    TestTool tool(socket());
    for (int round = 0; round < 30; ++round) {
        // Writes random words into all of the memory, and then into the state words again, so that many slots look
        // used.
        for (size_t i = 0; i < count; ++i) words[i] = static_cast<uint32_t>(random());
        for (unsigned i = 0; i < ipc::kMostQueues; i += 1 + random() % 3) {
            vandal.slot(i).state = static_cast<uint32_t>(ipc::SlotState::kUsed);
            vandal.slot(i).device = low.slot(0).device.load();
            vandal.slot(i).priority = static_cast<int32_t>(random());
            if (round % 2 == 0)
                vandal.slot(i).submitted = vandal.slot(i).completed.load();  // idle: competes with no unit
        }
        ipc::ring_doorbell(vandal.header());
        ASSERT_EQ(tool.ask({{"cmd", "list"}}).value("ok", false), true) << "round " << round;
        ASSERT_EQ(tool.ask({{"cmd", "status"}}).value("ok", false), true) << "round " << round;
    }
    vandal.hang_up();
    ASSERT_TRUE(eventually([&] { return client_count() == 2; }));
    high.submit(0);
    EXPECT_TRUE(low.becomes_suspended(0, true));
    high.complete(0);
    EXPECT_TRUE(low.becomes_suspended(0, false));
}

// Clients that compute and are killed at a random moment, again and again, disturb no other client.
TEST_F(Scheduling, KilledClientsDisturbNobody) {
    TestClient low(socket(), "low");
    low.add_queue(0, 0, 0x1);
    low.submit(0);
    std::mt19937 random(1234567);
    for (int round = 0; round < 200; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            TestClient high(socket(), "high");
            if (!high.connected()) _exit(1);
            for (unsigned i = 0; i < 4; ++i) high.add_queue(i, 10, 0x10 + i);
            for (unsigned i = 0;; ++i) {
                high.submit(i % 4);
                high.complete(i % 4);
                if (i % 3 == 0) high.submit((i + 1) % 4);
            }
        }
        usleep(random() % 4000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    EXPECT_TRUE(low.becomes_suspended(0, false));
    EXPECT_TRUE(eventually([&] { return client_count() == 1; }));
    TestClient high(socket(), "high");
    high.add_queue(0, 10, 0x2);
    high.submit(0);
    EXPECT_TRUE(low.becomes_suspended(0, true));
    EXPECT_EQ(server->stop(), 0);
}

// A service's manager limits threads. A client that comes when none is left is served as well.
TEST(WithoutMoreThreads, EverybodyIsServed) {
    NEEDS_ROOT("to run a server whose threads are counted");
    PrivateDirectory directory;
    ASSERT_EQ(chown(directory.path().c_str(), kNobody, kNobody), 0);
    const std::string path = directory.socket();
    Process server(nobody_runs({binary("xserver"), "--no-supervise", "--socket", path}), directory.environment());
    ASSERT_TRUE(server.wait_for_output("listening on")) << server.err();
    EXPECT_EQ(as_nobody([&path, pid = server.pid()] {
                  std::list<TestClient> others;
                  if (!others.emplace_back(path, "first").connected()) return 1;  // the server has begun
                  const rlimit none{1, 1};
                  if (prlimit(pid, RLIMIT_NPROC, &none, nullptr) != 0) return 5;
                  for (int i = 0; i < 40; ++i)
                      if (!others.emplace_back(path, "other").connected()) return 1;
                  LowAndHigh clients(path);
                  if (!clients.connected()) return 2;
                  if (!clients.compete()) return 3;
                  clients.high.complete(0);
                  return clients.low.becomes_suspended(0, false) ? 0 : 4;
              }),
              0)
        << server.err();
    kill(server.pid(), SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.err();
}

}  // namespace
}  // namespace xsched::test
