// The state of processes for answers to tools: known at once, and no answer waits for a file.
#include "server/stopped_looks.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "server/system_files.h"
#include "support/directory.h"
#include "support/eventually.h"

namespace xsched::server {
namespace {

using std::chrono::steady_clock;

class StoppedLooksTest : public ::testing::Test {
protected:
    void SetUp() override {
        child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        const Peer peer{child, 2000, false};
        clients[7] = std::make_unique<Client>(7, peer, users.of(peer), "program", child);
    }
    void TearDown() override {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    void stop() const {
        kill(child, SIGSTOP);
        ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
    }
    bool is_seen_stopped() {
        looks.look(clients, {7, 8});
        return clients[7]->seen_stopped;
    }

    pid_t child = -1;
    Users users{"/dev/null"};
    StoppedLooks::Clients clients;
    StoppedLooks looks{{}};
};

TEST_F(StoppedLooksTest, AStoppedProcessIsSeen) {
    EXPECT_FALSE(is_seen_stopped());
    stop();
    EXPECT_TRUE(test::eventually([this] { return is_seen_stopped(); }));
    kill(child, SIGCONT);
    EXPECT_TRUE(test::eventually([this] { return !is_seen_stopped(); }));
}

TEST_F(StoppedLooksTest, AProcessInAFrozenGroupIsSeen) {
    const std::string group = clients[7]->cgroup();
    if (group.empty()) GTEST_SKIP() << "this machine tells no control group of version 2";
    const test::TemporaryDirectory mount;
    std::filesystem::create_directories(mount.path() + group);
    std::ofstream(mount.path() + group + "/cgroup.events") << "populated 1\nfrozen 1\n";
    looks = StoppedLooks({mount.path()});
    EXPECT_TRUE(test::eventually([this] { return is_seen_stopped(); }));
}

TEST_F(StoppedLooksTest, NoAnswerWaitsForAFile) {
    const auto released = std::make_shared<std::atomic<bool>>(false);
    ASSERT_TRUE(test::eventually([released] { return look_behind([released] { released->wait(false); }); }));
    stop();
    const auto began = steady_clock::now();
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(is_seen_stopped()) << "the thread still reads something else";
    EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(5)) << "and not 100 ms each";
    released->store(true);
    released->notify_all();
    EXPECT_TRUE(test::eventually([this] { return is_seen_stopped(); }));
}

TEST_F(StoppedLooksTest, AClientThatLeftIsForgotten) {
    stop();
    looks.look(clients, {7});
    clients.clear();
    looks.look(clients, {7});
    EXPECT_TRUE(clients.empty());
}

}  // namespace
}  // namespace xsched::server
