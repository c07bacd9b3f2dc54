// How servers end, and what their supervisor makes of it: with servers made for this, in a child that supervises them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "base/clock.h"
#include "server/ending_signals.h"
#include "server/service_manager.h"
#include "server/supervisor.h"
#include "support/child.h"
#include "support/eventually.h"

namespace xsched::test {
namespace {

using server::SupervisedMemory;

constexpr int kCannotStart = 2;
constexpr int64_t kLookNs = 50 * base::kMillisecond;

// The words that the servers write for the test.
struct Seen {
    std::atomic<uint32_t> servers{0};
    std::atomic<uint32_t> living{0};  // its number, once it makes passes
    std::atomic<pid_t> pid{0};
};

struct Unmap {
    void operator()(Seen* seen) const { munmap(seen, sizeof(Seen)); }
};

class SupervisorEnds : public ::testing::Test {
protected:
    SupervisorEnds() {
        void* memory = mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) abort();
        seen.reset(new (memory) Seen);
    }
    ~SupervisorEnds() override {
        if (supervisor > 0) kill(supervisor, SIGKILL);
        if (supervisor > 0) waitpid(supervisor, nullptr, 0);
    }

    // Makes passes until it is told to end.
    int live(SupervisedMemory& memory, uint32_t number) {
        seen->living.store(number);
        sigset_t ending = server::ending_signals();
        const timespec pause{0, kLookNs / 4};
        do {
            server::Beats::beat(memory.beats.scheduling);
            server::Beats::beat(memory.beats.front);
        } while (sigtimedwait(&ending, nullptr, &pause) < 0);
        return 0;
    }
    // serve(memory, number): the first server is number 1. `beside` runs on another thread of the supervisor.
    template <typename Serve>
    void supervise(Serve serve, void (*beside)(Seen&) = nullptr, int64_t look_ns = kLookNs) {
        const pid_t parent = getpid();
        supervisor = fork();
        if (supervisor != 0) return;
        die_with(parent);
        if (beside != nullptr) std::thread(beside, std::ref(*seen)).detach();
        server::ServiceManager manager;
        _exit(server::supervise(
            [&](SupervisedMemory& memory) {
                const uint32_t number = seen->servers.fetch_add(1) + 1;
                seen->pid.store(getpid());
                return serve(memory, number);
            },
            [] {}, kCannotStart, manager, look_ns));
    }
    void expect_a_living_one(uint32_t least) {
        EXPECT_TRUE(eventually([&] { return seen->living.load() >= least; }))
            << "of " << seen->servers.load() << " servers";
        EXPECT_EQ(waitpid(supervisor, nullptr, WNOHANG), 0) << "the supervisor ended";
    }
    // Waits for the supervisor's end. Returns its exit status; -1: it did not exit.
    int wait() {
        int status = -1;
        EXPECT_TRUE(eventually([&] { return waitpid(supervisor, &status, WNOHANG) == supervisor; }));
        supervisor = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    int end_in_order() {
        kill(seen->pid.load(), SIGTERM);
        return wait();
    }

    std::unique_ptr<Seen, Unmap> seen;
    pid_t supervisor = 0;
};

TEST_F(SupervisorEnds, AnExitThatTheServerDidNotMeanIsNone) {
    supervise([this](SupervisedMemory& memory, uint32_t number) {
        if (number < 3) _exit(0);  // as a library might
        return live(memory, number);
    });
    expect_a_living_one(3);
    EXPECT_EQ(end_in_order(), 0);
}

// If the supervisor's children are reaped by the system, a server's exit status is lost. Its end then does not count
// as orderly.
TEST_F(SupervisorEnds, AStatusThatSomebodyElseTookIsNoOrderlyEnd) {
    const auto live_on = [this](SupervisedMemory& memory, uint32_t number) { return live(memory, number); };
    supervise(live_on, [](Seen& told) {
        while (told.living.load() == 0) usleep(1000);
        signal(SIGCHLD, SIG_IGN);
        kill(told.pid.load(), SIGKILL);
    });
    expect_a_living_one(2);
    EXPECT_EQ(end_in_order(), 0) << "an orderly end is known without a status";
}

TEST_F(SupervisorEnds, AServerThatIsSlowToBeginIsGivenTime) {
    supervise([this](SupervisedMemory& memory, uint32_t number) {
        usleep(10 * kLookNs / 1000);
        return live(memory, number);
    });
    expect_a_living_one(1);
    EXPECT_EQ(end_in_order(), 0);
}

// The scheduling thread and the front thread are both watched, and the log says which of the two hung.
TEST_F(SupervisorEnds, AServerOfWhichOneThreadHangsHasASuccessor) {
    for (const bool front : {false, true}) {
        seen->servers = seen->living = 0;
        const char* said = front ? "answered no request (its front thread hangs) for" : "made no pass for";
        supervise([&](SupervisedMemory& memory, uint32_t number) {
            if (number > 1) return strstr(memory.obituary, said) != nullptr ? live(memory, number) : kCannotStart;
            for (;; usleep(kLookNs / 4000)) server::Beats::beat(front ? memory.beats.scheduling : memory.beats.front);
        });
        expect_a_living_one(2);
        EXPECT_EQ(end_in_order(), 0);
    }
}

TEST_F(SupervisorEnds, WhatNoServerCanBeginWithIsForgotten) {
    supervise([this](SupervisedMemory& memory, uint32_t number) {
        if (number == 1) memory.checkpoint.written.store(1);
        if (memory.checkpoint.written.load() != 0) return number == 1 ? kCannotStart + 1 : kCannotStart;
        if (strstr(memory.obituary, "without the settings made at run time") == nullptr) _exit(kCannotStart);
        return live(memory, number);
    });
    expect_a_living_one(2);
    EXPECT_EQ(end_in_order(), 0);
}

TEST_F(SupervisorEnds, WhatWasSetIsKeptWhereServersBegin) {
    supervise([this](SupervisedMemory& memory, uint32_t number) {
        memory.checkpoint.written.store(1);
        server::Beats::beat(memory.beats.scheduling);
        if (number < 5) _exit(1);
        return live(memory, number);
    });
    expect_a_living_one(5);
    EXPECT_EQ(end_in_order(), 0);
}

TEST_F(SupervisorEnds, AServerThatCannotBeginAtFirstEndsBoth) {
    constexpr int64_t kSeldomNs = 10 * base::kSecond;  // on a busy machine even an exit may last for several looks
    supervise([](SupervisedMemory&, uint32_t) { return kCannotStart; }, nullptr, kSeldomNs);
    EXPECT_EQ(wait(), kCannotStart);
    EXPECT_EQ(seen->servers.load(), 1U);
}

}  // namespace
}  // namespace xsched::test
