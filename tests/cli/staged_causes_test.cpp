// Staged cases: programs made by hand bring about each cause on a real server, and xcli explain names it. No case
// depends on how long a look takes: what goes on goes on until it is named.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

constexpr uint64_t kSecondDevice = uint64_t{kDeviceTypeCPU} << 32 | 2;

// A program's work with one queue while this exists: it always has work, completes a command every 2 ms unless it is
// suspended, and uses the device for `percent` of the time. With `on_ms` it does so now and then alone. `copies`: its
// commands are copies of so many bytes.
class Work {
public:
    explicit Work(TestClient& client, unsigned at = 0, int64_t percent = 100, int64_t on_ms = 0, uint64_t copies = 0)
        : copies_(copies), thread_([this, &client, at, percent, on_ms] { go_on(client, at, percent, on_ms); }) {}
    ~Work() {
        over_ = true;
        thread_.join();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

private:
    void go_on(TestClient& client, unsigned at, int64_t percent, int64_t on_ms) {
        ipc::QueueSlot& slot = client.slot(at);
        int64_t then_ns = base::now_ns();
        client.submit(at);
        while (!over_) {
            for (int64_t ms = 0; !over_ && (on_ms == 0 || ms < on_ms); ms += 2) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                const int64_t now_ns = base::now_ns();
                if (slot.suspended.load() == 0) {
                    slot.busy_ns.fetch_add((now_ns - then_ns) * percent / 100);
                    slot.submitted.fetch_add(1);
                    slot.copies.fetch_add(copies_ != 0 ? 1 : 0);
                    slot.copied_bytes.fetch_add(copies_);
                    slot.launched.fetch_add(1);
                    slot.completed.fetch_add(1);
                }
                then_ns = now_ns;
            }
            if (over_ || on_ms == 0) continue;
            client.complete(at);
            std::this_thread::sleep_for(std::chrono::milliseconds(on_ms));
            then_ns = base::now_ns();
            client.submit(at);
        }
    }

    std::atomic<bool> over_{false};
    const uint64_t copies_;
    std::thread thread_;
};

class StagedCause : public WithCli {
protected:
    void SetUp() override { start(); }
    // Starts two programs on one device, one of them with `priority`.
    void two(int32_t priority) {
        ASSERT_TRUE(slow.connect(socket(), "slow"));
        ASSERT_TRUE(other.connect(socket(), "rival"));
        slow.add_queue(0, 0, 0xab1);
        other.add_queue(0, priority, 0xab2);
    }
    // Starts the rival with work in a process of its own: policies that give turns or shares take each process as one
    // unit.
    void two_processes(int32_t priority = 0, uint64_t copies = 0) {
        child = fork();
        if (child == 0) {
            TestClient client(socket(), "rival");
            if (!client.connected()) _exit(1);
            client.add_queue(0, priority, 0xab2);
            const Work work(client, 0, 100, 0, copies);
            for (;;) pause();
        }
        ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
        ASSERT_TRUE(slow.connect(socket(), "slow"));
        slow.add_queue(0, 0, 0xab1);
    }
    void TearDown() override {
        if (child > 0) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        WithCli::TearDown();
    }
    void policy(const char* name) { ASSERT_EQ(xcli({"policy", name}).status, 0); }
    void hint(const std::string& queue, std::vector<std::string> words) {
        words.insert(words.begin(), {"hint", "-x", queue});
        const Outcome outcome = xcli(words);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    // Asks xcli explain until it finds this cause for the program.
    void expect_cause(const std::string& finding, const std::string& sentence = "",
                      const std::string& program = "slow") {
        Json told;
        EXPECT_TRUE(eventually([&] {
            const Json answer = xcli({"explain", program, "--json"}).json();
            if (!answer.is_object() || !answer.contains("programs")) return false;
            told = answer["programs"][0];
            return told.value("finding", "") == finding && has(told.value("headline", ""), sentence);
        })) << "not "
            << finding << " but " << told.dump(2);
    }
    TestClient slow, other;
    pid_t child = 0;
};

TEST_F(StagedCause, MoreUrgent) {
    two(10);
    slow.submit(0);
    const Work work(other, 0, 100, 20);
    expect_cause("more_urgent", "(rival, priority 10)");
}

TEST_F(StagedCause, StarvedBesideAProgramThatNeverRests) {
    two(10);
    slow.submit(0);
    const Work work(other);
    expect_cause("starved");
}

TEST_F(StagedCause, APersonSuspendedIt) {
    two(0);
    slow.submit(0);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    expect_cause("suspended");
}

TEST_F(StagedCause, ItsPrioritySaysNever) {
    two(0);
    slow.submit(0);
    hint("0xab1", {"-p", "-256"});
    expect_cause("no_execute");
}

TEST_F(StagedCause, ItsShareIsUsedUp) {
    two_processes();
    policy("PUP");
    hint("0xab1", {"--share", "20"});
    hint("0xab2", {"--share", "80"});
    const Work mine(slow);
    expect_cause("share_used_up", "share of 20 percent");
}

TEST_F(StagedCause, ItsLimit) {
    two(0);
    policy("PUP");
    hint("0xab1", {"--limit", "10"});
    const Work mine(slow), its(other);
    expect_cause("limit", "its limit is 10 percent");
}

TEST_F(StagedCause, TheLimitOfItsControlGroup) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    slow.add_queue(0, 0, 0xab1);
    const std::string group = xcli({"list", "--json"}).json()["queues"][0].value("cgroup", "");
    if (group.empty()) GTEST_SKIP() << "there is no control group of version 2 here";
    policy("PUP");
    if (xcli({"limit", group + ":device-limit=10"}).status != 0)
        GTEST_SKIP() << "this user may not say what control group " << group << " gets";
    const Work mine(slow);
    expect_cause("limit", "the limit of its control group " + group + " is 10 percent");
}

TEST_F(StagedCause, TurnsOfThePolicy) {
    two_processes();
    policy("CFS");
    const Work mine(slow);
    expect_cause("turns", "policy CFS");
}

TEST_F(StagedCause, AnotherProgramHasTheActiveWindow) {
    two_processes();
    policy("AWF");
    hint("0xab2", {"--window", "1"});
    const Work mine(slow);
    expect_cause("window", "active window");
}

TEST_F(StagedCause, ItsDeadlineIsMissed) {
    two_processes();
    policy("KEDF");
    hint("0xab1", {"-d", "1"});
    hint("0xab2", {"-d", "3600000000"});
    const Work mine(slow);
    expect_cause("late");
}

TEST_F(StagedCause, ABurstIsAnnounced) {
    two(10);
    slow.slot(0).command_ns = 3 * base::kSecond;  // so long before the burst it has to begin
    const Work mine(slow);
    other.slot(0).period_us = 4'000'000;
    other.submit(0);
    other.complete(0);
    expect_cause("announced");
}

TEST_F(StagedCause, WorkOnAnotherDevice) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    ASSERT_TRUE(other.connect(socket(), "rival"));
    slow.add_queue(0, 0, 0xab1);
    other.add_queue(0, 10, 0xab2, kSecondDevice);
    policy("HHPF");
    const Work mine(slow), its(other);
    expect_cause("elsewhere");
}

TEST_F(StagedCause, AnotherQueueOfItsOwn) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    slow.add_queue(0, 0, 0xab1);
    slow.add_queue(1, 10, 0xab2);
    slow.submit(0);
    const Work mine(slow, 1, 100, 20);
    expect_cause("own_queue");
}

// The program itself could run, but the other member of its gang, on another device, may not.
TEST_F(StagedCause, ItsGangIsSuspended) {
    two(10);
    TestClient mate;
    ASSERT_TRUE(mate.connect(socket(), "mate"));
    mate.add_queue(0, 0, 0xab3, kSecondDevice);
    hint("0xab1", {"--gang", "train"});
    hint("0xab3", {"--gang", "train"});
    const Work mine(slow), mates(mate), its(other);
    expect_cause("gang", "", "mate");
}

TEST_F(StagedCause, SuspendedByItself) {
    two(0);
    slow.slot(0).api_suspended = 1;
    slow.submit(0);
    expect_cause("suspended_by_itself");
}

TEST_F(StagedCause, NothingWasEverGivenToADevice) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    expect_cause("no_queues");
}

TEST_F(StagedCause, Alone) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    slow.add_queue(0, 0, 0xab1);
    const Work mine(slow);
    expect_cause("alone");
}

TEST_F(StagedCause, ItHasNoWork) {
    two(0);
    expect_cause("idle");
}

TEST_F(StagedCause, ItWaitsForItsHost) {
    two(0);
    slow.slot(0).stands_at[0] = ipc::stand_mark(slow.slot(0).completed);
    slow.submit(0);
    expect_cause("waits_for_host");
}

TEST_F(StagedCause, BesideAnEqual) {
    two(0);
    const Work mine(slow), its(other);
    expect_cause("shares", "(rival, priority 0)");
}

// The urgent one of two programs is never held, so what makes it slow is its own work; the tests above have the
// causes for the other one.
TEST_F(StagedCause, ItsOwnCommandsTakeSoLong) {
    two(-1);
    const Work mine(slow), its(other);
    expect_cause("its_own_work");
}

TEST_F(StagedCause, TheHostGivesTheDeviceLittle) {
    two(-1);
    slow.slot(0).command_ns = base::kMillisecond;
    const Work mine(slow, 0, 10), its(other);
    expect_cause("host");
}

TEST_F(StagedCause, ItsCommandsAreTooShort) {
    two(-1);
    const Work mine(slow, 0, 10), its(other);
    expect_cause("short_commands");
}

TEST_F(StagedCause, KernelsOfAnotherThatNothingTakesOff) {
    two(-1);
    other.slot(0).command_ns = 12 * base::kMillisecond;
    const Work mine(slow, 0, 10), its(other);
    expect_cause("long_kernels", "12.0 ms");
}

TEST_F(StagedCause, CopiesOfAnotherKeepTheEngine) {
    two_processes(-1, 64 << 20);
    const Work mine(slow, 0, 50, 20, 1 << 20);
    expect_cause("copies", "64 MiB each");
}

TEST_F(StagedCause, ItCopiesMostOfTheTime) {
    two_processes(-1);
    const Work mine(slow, 0, 100, 0, 16 << 20);
    expect_cause("copies", "100 percent of its commands are copies of 16 MiB");
}

TEST_F(StagedCause, ItsProcessIsStopped) {
    ASSERT_TRUE(other.connect(socket(), "rival"));
    other.add_queue(0, 0, 0xab2);
    child = fork();
    if (child == 0) {
        TestClient client(socket(), "stopped");
        if (!client.connected()) _exit(1);
        client.add_queue(0, 10, 0xab1);
        client.submit(0);
        raise(SIGSTOP);
        _exit(0);
    }
    const Work its(other);
    expect_cause("stopped", "", "stopped");
}

TEST_F(StagedCause, TheServerWasLost) {
    server.reset();
    ASSERT_EQ(xcli({"run", "--", "/bin/true"}).status, 0);  // starts a server that has a supervisor
    bool named = false;
    for (int i = 0; i < 20 && !named; ++i) {
        const Json before = xcli({"server", "--json"}).json();
        kill(before.value("pid", 0), SIGKILL);
        ASSERT_TRUE(eventually([&] { return xcli({"server", "--json"}).json().value("restarts", 0) > i; }));
        TestClient client(socket(), "slow");
        if (!client.connected()) continue;
        client.add_queue(0, 0, 0xab1);
        named = has(xcli({"explain", "slow", "--json"}).out, "\"server_is_new\"");
    }
    EXPECT_TRUE(named);
}

}  // namespace
}  // namespace xsched::test
