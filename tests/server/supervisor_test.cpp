// A server under its supervisor: killed, stopped, told to end; and what its successor knows.
#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "server/held_thread.h"
#include "server/limits/cgroups.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

constexpr int kKills = 5;

class Supervised : public WithServer {
protected:
    void SetUp() override {}
    void start_until_it_listens(const std::vector<std::string>& more, const Environment& beside = {}) {
        std::vector<std::string> words{binary("xserver"), "--socket", socket()};
        words.insert(words.end(), more.begin(), more.end());
        Environment environment = directory.environment();
        for (const auto& [name, value] : beside) environment[name] = value;
        supervisor = std::make_unique<Process>(words, environment);
        ASSERT_TRUE(supervisor->wait_for_output("listening on")) << supervisor->err();
    }
    void start_supervised(const std::vector<std::string>& more = {}, const Environment& beside = {}) {
        ASSERT_NO_FATAL_FAILURE(start_until_it_listens(more, beside));
        server_pid = pid_of_server();
        ASSERT_GT(server_pid, 0);
        ASSERT_NE(server_pid, supervisor->pid());
    }
    Json describe() { return answer_of_server(socket(), {{"cmd", "server"}}); }
    pid_t pid_of_server() { return describe().value("pid", 0); }
    // Demands that a second server answers after the end of the first one.
    void expect_successor() {
        const pid_t before = std::exchange(server_pid, 0);
        EXPECT_TRUE(eventually([&] {
            server_pid = pid_of_server();
            return server_pid > 0 && server_pid != before;
        })) << supervisor->err();
    }
    static bool lives(pid_t pid) { return kill(pid, 0) == 0; }
    bool socket_exists() const { return access(socket().c_str(), F_OK) == 0; }
    void expect_end_of_both() {
        EXPECT_EQ(supervisor->wait(), 0) << supervisor->err();
        EXPECT_TRUE(eventually([&] { return !lives(server_pid); }));
        EXPECT_FALSE(socket_exists());
    }
    size_t lines_with(const std::string& text) {
        supervisor->take_output();
        size_t count = 0;
        for (size_t at = supervisor->err().find(text); at != std::string::npos;
             at = supervisor->err().find(text, at + 1))
            ++count;
        return count;
    }

    std::unique_ptr<Process> supervisor;
    pid_t server_pid = 0;
};

TEST_F(Supervised, AKilledServerHasASuccessorAndOneLineSaysSo) {
    start_supervised();
    for (int i = 1; i <= 2; ++i) {
        TestClient client(socket());
        ASSERT_TRUE(client.connected());
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        char letter;
        EXPECT_EQ(ipc::receive_packet(client.socket(), &letter, 1, nullptr, kPatienceMs), 0) << "the lifeline ends";
        expect_successor();
        EXPECT_EQ(describe().value("restarts", 0), i);
        EXPECT_EQ(describe().value("supervisor", 0), supervisor->pid());
        EXPECT_EQ(lines_with("was ended by signal 9"), static_cast<size_t>(i)) << supervisor->err();
    }
}

TEST_F(Supervised, AStoppedServerCountsAsHung) {
    start_supervised();
    TestClient client(socket());
    ASSERT_EQ(kill(server_pid, SIGSTOP), 0);
    expect_successor();
    EXPECT_EQ(lines_with("made no pass for 2 s and was killed"), 1U) << supervisor->err();
}

#ifdef XSCHED_FAULTS
TEST_F(Supervised, AServerOfWhichTheFrontHangsHasASuccessor) {
    const std::string hang = directory.path() + "/hang";
    start_supervised({}, {{"LD_PRELOAD", built_file(XSCHED_FAULTS)}, {"FAULT_HANG", hang}});
    TestClient client(socket());
    client.add_queue(0, 0, 0x1);
    std::ofstream(hang).close();
    EXPECT_TRUE(eventually([&] {
        return lines_with("answered no request (its front thread hangs) for 10 s and was killed") == 1;
    })) << supervisor->err();
    unlink(hang.c_str());
    expect_successor();
    EXPECT_EQ(lines_with("made no pass"), 0U) << "the scheduling thread went on";
}
#endif

// A traced thread, as one that waits in the kernel, keeps the server from ending. A successor starts all the same.
TEST_F(Supervised, AServerThatCannotGoHasASuccessorAllTheSame) {
    for (const int signal_number : {SIGKILL, SIGSTOP}) {
        start_supervised();
        HeldThread held;
        if (!held.hold(server_pid, "xserver-sched")) GTEST_SKIP() << "a thread cannot be traced here";
        const pid_t before = server_pid;
        const int64_t began = base::now_ns();
        ASSERT_EQ(kill(before, signal_number), 0);
        expect_successor();
        EXPECT_LT(base::now_ns() - began, 10 * base::kSecond) << "not because somebody gave up";
        EXPECT_TRUE(lives(before));
        TestClient client(socket());
        EXPECT_TRUE(client.connected());
        EXPECT_EQ(lines_with("is still listed, since a thread of it waits in the kernel"), 1U) << supervisor->err();
        held.let_go();
        EXPECT_TRUE(eventually([&] { return !lives(before); })) << "nobody waits for it";
        EXPECT_EQ(pid_of_server(), server_pid);
        ASSERT_EQ(kill(supervisor->pid(), SIGTERM), 0);
        expect_end_of_both();
    }
}

TEST_F(Supervised, ToldToEndTheSupervisorDoesNotWaitForAServerThatCannotGo) {
    for (const bool to_the_server : {false, true}) {
        start_supervised();
        HeldThread held;
        if (!held.hold(server_pid, "xserver-sched")) GTEST_SKIP() << "a thread cannot be traced here";
        ASSERT_EQ(kill(to_the_server ? server_pid : supervisor->pid(), SIGTERM), 0);
        EXPECT_EQ(supervisor->wait(), 0) << supervisor->err();
        EXPECT_FALSE(socket_exists());
        held.let_go();
    }
}

TEST_F(Supervised, AServerThatHasNothingToDoIsLeftAlone) {
    start_supervised();
    usleep(3'500'000);  // longer than a server may be silent
    EXPECT_EQ(pid_of_server(), server_pid);
    EXPECT_EQ(describe().value("restarts", -1), 0);
}

TEST_F(Supervised, ClientsThatComeWhileThereIsNoServerWait) {
    start_supervised();
    for (int i = 0; i < 3; ++i) {  // each pause is longer than the last
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        TestClient client;
        EXPECT_TRUE(client.connect(socket())) << "kill " << i;
        expect_successor();
    }
    EXPECT_GE(lines_with("took its place after 100 ms"), 1U) << "one that cannot live is not started in a tight loop";
}

TEST_F(Supervised, ToldToEndBothEnd) {
    for (const int signal_number : {SIGTERM, SIGINT}) {
        for (const bool to_the_server : {false, true}) {
            start_supervised();
            TestClient client(socket());
            ASSERT_EQ(kill(to_the_server ? server_pid : supervisor->pid(), signal_number), 0);
            expect_end_of_both();
            EXPECT_EQ(client.header().detached.load(), 1U);
        }
    }
}

TEST_F(Supervised, ToldToReadItsConfigurationAgainTheServerStays) {
    start_supervised();
    ASSERT_EQ(kill(supervisor->pid(), SIGHUP), 0);
    EXPECT_TRUE(eventually([&] { return lines_with("the configuration is read again") == 1; }));
    EXPECT_EQ(answer_of_server(socket(), {{"cmd", "server"}}).value("pid", 0), server_pid);
}

TEST_F(Supervised, ToldToEndWithAServerThatDoesNotListenBothEnd) {
    start_supervised();
    ASSERT_EQ(kill(server_pid, SIGSTOP), 0);
    ASSERT_EQ(kill(supervisor->pid(), SIGTERM), 0);
    expect_end_of_both();
}

// A server that is killed while it ends gets no successor: it has left its socket already, so no client would find
// one.
TEST_F(Supervised, KilledWhileItEndsAServerHasNoSuccessor) {
    start_supervised();
    HeldThread held;
    if (!held.hold(server_pid, "xserver-sched")) GTEST_SKIP() << "a thread cannot be traced here";
    ASSERT_TRUE(held.stop());
    ASSERT_EQ(kill(server_pid, SIGTERM), 0);
    ASSERT_TRUE(eventually([&] { return !socket_exists(); }));
    ASSERT_EQ(kill(server_pid, SIGKILL), 0) << "while it waits for its thread";
    EXPECT_EQ(supervisor->wait(), 0) << supervisor->err();
    held.let_go();
}

TEST_F(Supervised, AnIdleExitEndsBoth) {
    start_until_it_listens({"--idle-exit", "2"});  // its server may be gone before it could be asked for its number
    EXPECT_EQ(supervisor->wait(), 0) << supervisor->err();
    EXPECT_FALSE(socket_exists());
}

TEST_F(Supervised, WithItsSupervisorKilledAServerEndsInOrder) {
    start_supervised();
    TestClient client(socket());
    ASSERT_EQ(kill(supervisor->pid(), SIGKILL), 0);
    EXPECT_EQ(supervisor->wait(), 1000 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return !socket_exists(); }));
    EXPECT_TRUE(eventually([&] { return client.header().detached.load() == 1; }));
    start_supervised();
}

TEST_F(Supervised, ASecondOneSaysWhoServes) {
    start_supervised();
    Process second({binary("xserver"), "--socket", socket()}, directory.environment());
    EXPECT_EQ(second.wait(), 2);
    const std::string named = "another xserver (pid " + std::to_string(supervisor->pid()) + ") serves";
    EXPECT_NE(second.err().find(named), std::string::npos) << second.err();
}

TEST_F(Supervised, ThePolicyThatAPersonChoseSurvives) {
    start_supervised();
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "policy"}, {"name", "UP"}}).value("ok", false));
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        expect_successor();
        EXPECT_EQ(describe().value("policy", ""), "UP");
    }
}

TEST_F(Supervised, LimitsSetAtRunTimeSurvive) {
    start_supervised({"--limit", "clients=9"});
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "limit"}, {"set", "12345:clients=77"}}).value("ok", false));
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "limit"}, {"set", "0:queues=78"}}).value("ok", false));
    const Json before = TestTool(socket()).ask({{"cmd", "limits"}});
    ASSERT_NE(before.dump().find("78"), std::string::npos) << before;
    ASSERT_EQ(kill(server_pid, SIGKILL), 0);
    expect_successor();
    const Json after = TestTool(socket()).ask({{"cmd", "limits"}});
    EXPECT_NE(after.dump().find("78"), std::string::npos) << after;
}

TEST_F(Supervised, WhatGroupsWereGivenSurvives) {
    const std::string group = server::cgroup_of(getpid());
    if (group.empty()) GTEST_SKIP() << "there is no control group of version 2 here";
    start_supervised();
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "limit"}, {"set", group + ":share=30"}}).value("ok", false));
    ASSERT_EQ(kill(server_pid, SIGKILL), 0);
    expect_successor();
    TestClient client(socket());
    client.add_queue(0, 0, 0x51);
    Json queues;
    EXPECT_TRUE(eventually([&] {
        queues = answer_of_server(socket(), {{"cmd", "list"}}).value("queues", Json::array());
        return !queues.empty() && queues[0].contains("group_gets") && queues[0]["group_gets"]["share"] == 30;
    })) << queues;
}

// A queue that a person suspended stays suspended after a crash: the same process connects again, as its agent would,
// and then makes its queues again.
TEST_F(Supervised, WhatAPersonSuspendedStaysSo) {
    start_supervised();
    std::optional<TestClient> client(std::in_place, socket());
    client->add_queue(0, 0, 0x1);
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "suspend"}, {"queue", 1}}).value("ok", false));
    client->submit(0);
    ASSERT_TRUE(client->becomes_suspended(0, true));
    // To the next server, with one queue.
    const auto come_again = [&](unsigned at, uint64_t handle) {
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        expect_successor();
        client.emplace(socket());
        client->add_queue(at, 0, handle);
        client->submit(at);
    };
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        expect_successor();
        client.emplace(socket());
        ASSERT_TRUE(client->connected());
        EXPECT_EQ(client_count(), 1) << "the server knows the client before its queues come";
        client->add_queue(0, 0, 0x1);
        client->add_queue(1, 0, 0x2);
        client->submit(0);
        client->submit(1);
        EXPECT_TRUE(client->becomes_suspended(0, true)) << "server " << i + 2;
        EXPECT_EQ(client->slot(1).suspended.load(), 0U) << "only the other one was suspended";
    }
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "suspend"}, {"pid", getpid()}}).value("ok", false));
    EXPECT_TRUE(client->becomes_suspended(1, true));
    come_again(5, 0x7);
    EXPECT_TRUE(client->becomes_suspended(5, true)) << "the whole process is suspended";
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "resume"}, {"pid", getpid()}}).value("ok", false));
    EXPECT_TRUE(client->becomes_suspended(5, false));
    come_again(0, 0x1);
    EXPECT_EQ(client_count(), 1);
    usleep(50'000);
    EXPECT_EQ(client->slot(0).suspended.load(), 0U) << "resumed is resumed";
}

TEST_F(Supervised, AProgramThatIsExpectedIsStillExpected) {
    start_supervised({"--idle-exit", "1"});
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "expect"}}).value("ok", false));  // until this test ends
    ASSERT_EQ(kill(server_pid, SIGKILL), 0);
    expect_successor();
    usleep(2'500'000);
    EXPECT_EQ(pid_of_server(), server_pid) << "it waits for a program that has not used the device yet";
}

// Returns how long a separate server takes from its start until it serves, on this machine at this moment.
int64_t start_ns() {
    const PrivateDirectory directory;
    const int64_t began = base::now_ns();
    const ServerProcess server(directory);
    TestClient client;
    EXPECT_TRUE(eventually([&] { return client.connect(directory.socket()); }));
    return base::now_ns() - began;
}

int64_t median(std::vector<int64_t> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// A killed server's successor starts within a time in proportion to that of other starts: on a loaded machine all of
// them take longer. docs/benchmarks.md has the figure.
TEST_F(Supervised, TheSuccessorIsThereSoon) {
    start_supervised();
    std::vector<int64_t> took;
    std::vector<int64_t> others;
    for (int i = 0; i < kKills; ++i) {
        usleep(1'100'000);  // so that it counts as settled
        others.push_back(start_ns());
        const int64_t began = base::now_ns();
        ASSERT_EQ(kill(server_pid, SIGKILL), 0);
        TestClient client;
        ASSERT_TRUE(eventually([&] { return client.connect(socket()) && client.header().server_pid != server_pid; }))
            << supervisor->err();
        took.push_back(base::now_ns() - began);
        server_pid = client.header().server_pid;
    }
    const int64_t usual = median(others);
    std::printf("median %.1f ms, of another server's start %.1f ms\n",
                static_cast<double>(median(took)) / base::kMillisecond,
                static_cast<double>(usual) / base::kMillisecond);
    EXPECT_LT(median(took), std::max(XSCHED_SLOWER * 200 * base::kMillisecond, 3 * usual));
}

}  // namespace
}  // namespace xsched::test
