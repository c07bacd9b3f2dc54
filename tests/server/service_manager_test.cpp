// A service manager's socket (sd_notify): what a server tells it, with a supervisor and without, and when it feeds the
// watchdog.
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

#include "server/held_thread.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

constexpr int64_t kWatchdogUs = 400'000;
constexpr unsigned kSilentUs = 4'000'000;  // longer than both threads may be silent

class Manager {
public:
    explicit Manager(const std::string& path) : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        unlink(path.c_str());
        if (bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) abort();
    }
    // Returns how many messages with `text` in them have come so far.
    size_t count(const std::string& text) {
        char part[4096];
        for (ssize_t bytes = 0; (bytes = recv(socket_.get(), part, sizeof(part), MSG_DONTWAIT)) > 0;)
            told_.emplace_back(part, static_cast<size_t>(bytes));
        return static_cast<size_t>(std::count_if(
            told_.begin(), told_.end(), [&](const std::string& one) { return one.find(text) != std::string::npos; }));
    }

private:
    base::UniqueFd socket_;
    std::vector<std::string> told_;
};

// true: with a supervisor.
class ServiceManager : public WithServer, public ::testing::WithParamInterface<bool> {
protected:
    void SetUp() override {
        manager = std::make_unique<Manager>(directory.path() + "/notify");
        Environment environment = directory.environment();
        environment["NOTIFY_SOCKET"] = directory.path() + "/notify";
        environment["WATCHDOG_USEC"] = std::to_string(kWatchdogUs);
        std::vector<std::string> words{binary("xserver"), "--socket", socket()};
        if (!GetParam()) words.emplace_back("--no-supervise");
        process = std::make_unique<Process>(words, environment);
        ASSERT_TRUE(process->wait_for_output("listening on")) << process->err();
    }
    bool is_told(const std::string& text) {
        return eventually([&] { return manager->count(text) > 0; });
    }
    bool is_fed_again() {
        const size_t before = manager->count("WATCHDOG=1");
        return eventually([&] { return manager->count("WATCHDOG=1") >= before + 2; });
    }
    // Demands that the watchdog is fed no more, except for messages that are on their way.
    void expect_hunger() {
        usleep(static_cast<unsigned>(kWatchdogUs));
        const size_t before = manager->count("WATCHDOG=1");
        usleep(kSilentUs);
        EXPECT_LE(manager->count("WATCHDOG=1"), before + 1);
    }

    std::unique_ptr<Manager> manager;
    std::unique_ptr<Process> process;
};

TEST_P(ServiceManager, IsToldWhenTheServerServesAndWhenItEnds) {
    EXPECT_TRUE(is_told("READY=1\nSTATUS=listening on " + socket()));
    EXPECT_EQ(manager->count("STOPPING=1"), 0U);
    kill(process->pid(), SIGTERM);
    EXPECT_TRUE(is_told("STOPPING=1"));
    EXPECT_EQ(process->wait(), 0);
}

TEST_P(ServiceManager, HasItsWatchdogFedByAServerThatHasNothingToDo) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_fed_again()) << process->err();
}

TEST_P(ServiceManager, IsNotFedWhileAThreadHangs) {
    for (const char* thread : {"xserver-sched", "xserver"}) {
        const pid_t pid = answer_of_server(socket(), {{"cmd", "server"}}).value("pid", 0);
        ASSERT_TRUE(is_fed_again());
        if (GetParam()) {  // which puts an end to that itself
            ASSERT_EQ(kill(pid, SIGSTOP), 0);
            EXPECT_TRUE(is_told("STATUS=xserver " + std::to_string(pid) + " made no pass for 2 s and was killed"));
            EXPECT_TRUE(is_fed_again()) << "by its successor";
            continue;
        }
        HeldThread held;
        if (!held.hold(pid, thread) || !held.stop()) GTEST_SKIP() << "a thread cannot be traced here";
        expect_hunger();
        kill(pid, SIGKILL);
        held.let_go();
        process.reset();
        SetUp();
    }
}

INSTANTIATE_TEST_SUITE_P(Supervised, ServiceManager, ::testing::Bool());

}  // namespace
}  // namespace xsched::test
