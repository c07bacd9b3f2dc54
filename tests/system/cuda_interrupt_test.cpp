// Level 3 on the fake driver and kernel driver under the real xserver: kernels that are taken off the device, and what
// becomes of them when a program does not answer, is killed, or the driver refuses.
#include <dirent.h>
#include <sys/wait.h>

#include "system/rm_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kLongKernelUs = "300000";  // longer than any wait by accident

class CudaInterrupt : public CudaOnRm {
protected:
    // Starts both programs and waits until a long kernel of `low` is taken off the device for `high`.
    void interrupt_low(const Environment& more = {}) {
        start_low(more);
        high->work();
        ASSERT_TRUE(low_rm->becomes_disabled(true)) << low->process().err();
    }
    void start_low(const Environment& more = {}) {
        low = start_on_rm("low", 0, kLongKernelUs, more);
        high = start_on_rm("high", 10, "100");
        low->work();
        ASSERT_TRUE(eventually([&] { return !queues_of(low->pid()).empty(); })) << low->process().err();
        low_rm = rm_of(low->pid());
        ASSERT_TRUE(low_rm->there());
        if (more.empty()) {
            ASSERT_TRUE(eventually([&] { return held_by_server() > 0; })) << "it hands its channels over";
        }
        usleep(20'000);  // its kernel is on the device
    }
    // Stops `low` by a signal and waits until none of its threads runs any more: running threads continue for a while
    // after the signal. It is not in the middle of a call to the kernel driver then, since such calls end before the
    // process stops.
    void silence_low() {
        ASSERT_TRUE(eventually([&] {
            siginfo_t info{};
            if (kill(low->pid(), SIGSTOP) != 0) return false;
            if (waitid(P_PID, static_cast<id_t>(low->pid()), &info, WSTOPPED) != 0) return false;
            if (!low_rm->in_a_call()) return true;
            kill(low->pid(), SIGCONT);
            return false;
        }));
    }
    // Starts `low`, a second program of the same priority, and `high`, and waits until the server has the channels of
    // the first two. They are a gang, because programs of equal priority would otherwise take turns.
    void start_two() {
        const Environment together{{"XSCHED_AUTO_XQUEUE_GANG", "training"}};
        other = start_on_rm("other", 0, kLongKernelUs, together);
        other->work();
        ASSERT_NO_FATAL_FAILURE(start_low(together));
        ASSERT_TRUE(eventually([&] { return held_by_server() >= 2; })) << "both hand their channels over";
        other_rm = rm_of(other->pid());
        ASSERT_TRUE(other_rm->there());
    }
    static void expect_end(std::initializer_list<CudaProgram*> programs) {
        for (CudaProgram* program : programs) EXPECT_EQ(program->end(), 0) << program->process().err();
    }
    // Makes the low program unresponsive, so that the server takes its work off the device.
    void take_silent_low_off() {
        ASSERT_NO_FATAL_FAILURE(start_low());
        ASSERT_NO_FATAL_FAILURE(silence_low());
        high->work();
        ASSERT_TRUE(low_rm->becomes_disabled(true)) << server->process().err();
    }
    void expect_low_answers_and_ends() {
        ASSERT_EQ(kill(low->pid(), SIGCONT), 0);
        EXPECT_EQ(low->end(), 0) << low->process().err();
    }
    // Returns how many descriptors of the fake kernel driver's files the server holds.
    int held_by_server() const {
        const std::string folder = "/proc/" + std::to_string(server->pid()) + "/fd";
        int count = 0;
        DIR* listing = opendir(folder.c_str());
        if (listing == nullptr) return -1;
        while (const dirent* entry = readdir(listing)) {
            char target[512] = "";
            if (readlink((folder + "/" + entry->d_name).c_str(), target, sizeof target - 1) < 0) continue;
            const std::string text = target;
            count += text.starts_with(directory.path() + "/") && text.ends_with("-0") ? 1 : 0;
        }
        closedir(listing);
        return count;
    }

    std::unique_ptr<RmFile> low_rm;

    std::unique_ptr<CudaProgram> other;  // the second program of the same priority
    std::unique_ptr<RmFile> other_rm;
};

// xserver takes several programs off in one call: calls of their agents would wait for each other in the driver.
TEST_F(CudaInterrupt, ProgramsOfOnePriorityAreTakenOffInOneCall) {
    ASSERT_NO_FATAL_FAILURE(start_two());
    const auto together = [&] { return low_rm->state().together.load() + other_rm->state().together.load(); };
    EXPECT_TRUE(eventually([&] {
        high->work();
        const bool off = low_rm->becomes_disabled(true) && other_rm->becomes_disabled(true);
        high->rest();
        return off && low_rm->becomes_disabled(false) && other_rm->becomes_disabled(false) && together() > 0;
    })) << server->process().err();
    // Repeats the burst: in about every second one the server also acts for a program that did not answer in time.
    for (int i = 0; i < 20; ++i) {
        high->work();
        EXPECT_TRUE(high->advances()) << high->process().err();
        high->rest();
        usleep(5'000);
    }
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << "each disabling is undone";
    EXPECT_TRUE(other_rm->becomes_disabled(false));
    for (CudaProgram* program : {low.get(), other.get()}) {
        const uint64_t before = program->done();
        EXPECT_TRUE(eventually([&] { return program->done() > before; })) << "its kernel does not go on";
    }
    expect_end({high.get(), low.get(), other.get()});
}

// When the first of the program's queues may run, a slow call enables all of its channels. Commands of its other
// queues that complete meanwhile do not show that disabling has no effect.
TEST_F(CudaInterrupt, AProgramWhoseSecondStreamWorksKeepsTheLevel) {
    low = start_on_rm("low", 0, "200", {{"CUDA_PROGRAM_SECOND", "1"}, {"FAKE_RM_DELAY_US", "1000"}});
    // This urgent program cannot keep the device through its pauses. So low is taken off the device, and not only
    // kept off.
    high = start_on_rm("high", 10, "100", {{"XSCHED_INTERRUPT", "0"}});
    low->work();
    ASSERT_TRUE(eventually([&] { return queues_of(low->pid()).size() == 2; })) << low->process().err();
    low_rm = rm_of(low->pid());
    ASSERT_TRUE(low_rm->there());
    for (int i = 0; i < 20; ++i) {
        high->work();
        ASSERT_TRUE(low_rm->becomes_disabled(true)) << low->process().err();
        high->rest();
        ASSERT_TRUE(low_rm->becomes_disabled(false)) << low->process().err();
        ASSERT_TRUE(low->advances()) << low->process().err();
    }
    for (const Json& queue : queues_of(low->pid())) EXPECT_EQ(queue.value("level", 0), 3) << low->process().err();
    expect_end({high.get(), low.get()});
}

TEST_F(CudaInterrupt, WhereDisablingHasNoEffectTheQueueThatWorksLosesTheLevel) {
    low = start_on_rm("low", 0, "200", {{"CUDA_PROGRAM_SECOND", "1"}, {"FAKE_RM_NO_EFFECT", "1"}});
    high = start_on_rm("high", 10, "100", {{"XSCHED_INTERRUPT", "0"}});
    low->work();
    ASSERT_TRUE(eventually([&] { return queues_of(low->pid()).size() == 2; })) << low->process().err();
    const auto has_level = [&](int level) {
        const Json queues = queues_of(low->pid());
        return std::any_of(queues.begin(), queues.end(), [&](const Json& it) { return it.value("level", 0) == level; });
    };
    EXPECT_TRUE(eventually([&] {
        high->work();
        usleep(5'000);
        high->rest();
        usleep(5'000);
        return has_level(2);
    })) << low->process().err();
    EXPECT_TRUE(has_level(3)) << "the other one has done nothing";
    expect_end({high.get(), low.get()});
}

// The server's calls may be refused where the programs' own are not.
TEST_F(CudaInterrupt, WhereTheServerMayNotTheProgramsDoItThemselves) {
    server.reset();
    server_more_ = {{"FAKE_RM_REFUSE", "2080110b:1b"}};
    start_with_rm();
    ASSERT_NO_FATAL_FAILURE(start_two());
    high->work();
    EXPECT_TRUE(low_rm->becomes_disabled(true)) << server->process().err();
    EXPECT_TRUE(other_rm->becomes_disabled(true)) << server->process().err();
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    EXPECT_TRUE(other_rm->becomes_disabled(false));
    expect_end({high.get(), low.get(), other.get()});
}

// A server that dies leaves no program off the device.
TEST_F(CudaInterrupt, WhatWasTakenOffTogetherRunsWithoutItsServer) {
    ASSERT_NO_FATAL_FAILURE(start_two());
    high->work();
    ASSERT_TRUE(low_rm->becomes_disabled(true)) << low->process().err();
    ASSERT_TRUE(other_rm->becomes_disabled(true)) << other->process().err();
    ASSERT_EQ(kill(server->pid(), SIGKILL), 0);
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << low->process().err();
    EXPECT_TRUE(other_rm->becomes_disabled(false)) << other->process().err();
    expect_end({high.get(), low.get(), other.get()});
}

TEST_F(CudaInterrupt, ALongKernelIsTakenOffTheDeviceAndContinues) {
    interrupt_low();
    EXPECT_TRUE(high->advances()) << high->process().err();
    EXPECT_TRUE(eventually([&] { return low_rm->disabled() == 4; })) << "the channels for kernels, and no others";
    EXPECT_TRUE(eventually([&] {
        const Json queues = queues_of(low->pid());
        return !queues.empty() && queues[0].value("interrupted", false);
    }));
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before; })) << "its kernel does not go on";
    // A client that reacts in time takes its own work off the device, so the last call is the client's. If the machine
    // gives the client no processor, the server is faster; then the next burst tries again.
    EXPECT_TRUE(eventually([&] {
        high->work();
        if (!low_rm->becomes_disabled(true)) return false;
        high->rest();
        return low_rm->becomes_disabled(false) && low_rm->state().last_pid.load() == low->pid();
    })) << server->process().err();
    EXPECT_EQ(high->end(), 0);
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaInterrupt, KilledServerLeavesNothingDisabled) {
    interrupt_low();
    server->stop(SIGKILL);
    EXPECT_TRUE(low_rm->becomes_disabled(false, 2000)) << low->process().err();
    EXPECT_EQ(low->end(), 0);
}

TEST_F(CudaInterrupt, AServerThatLeavesLeavesNothingDisabled) {
    interrupt_low();
    EXPECT_EQ(server->stop(SIGTERM), 0);
    EXPECT_TRUE(low_rm->becomes_disabled(false, 2000));
    EXPECT_EQ(low->end(), 0);
}

TEST_F(CudaInterrupt, TheServerActsForAClientThatDoesNotAnswer) {
    ASSERT_NO_FATAL_FAILURE(take_silent_low_off());
    EXPECT_EQ(low_rm->state().last_pid.load(), server->pid());
    EXPECT_TRUE(high->advances());
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    ASSERT_EQ(kill(low->pid(), SIGCONT), 0);
    high->work();
    EXPECT_TRUE(low_rm->becomes_disabled(true)) << "and it acts for itself again";
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

// The driver counts how often channels were disabled. If the timeslice changes while the server has disabled a silent
// client's channels, the server must not disable them again.
TEST_F(CudaInterrupt, WhatTheServerStopsForASilentClientItStopsOnce) {
    ASSERT_NO_FATAL_FAILURE(take_silent_low_off());
    const uint32_t timeslice_us = low_rm->timeslice_us();
    const std::unique_ptr<CudaProgram> lowest = start_on_rm("lowest", -5, kLongKernelUs);
    lowest->work();
    EXPECT_TRUE(eventually([&] { return low_rm->timeslice_us() != timeslice_us; })) << server->process().err();
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << server->process().err();
    expect_low_answers_and_ends();
    EXPECT_EQ(lowest->end(), 0);
}

// The server disables the channels of a client that is stopped (silent). Once the client answers again, it makes
// these calls itself, also while it has a short timeslice.
TEST_F(CudaInterrupt, AClientThatAnswersAgainIsLeftToItself) {
    ASSERT_NO_FATAL_FAILURE(take_silent_low_off());
    ASSERT_EQ(kill(low->pid(), SIGCONT), 0);
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    EXPECT_TRUE(eventually([&] {
        const uint32_t before = low_rm->state().disables.load();
        high->work();
        if (!low_rm->becomes_disabled(true)) return false;
        usleep(30'000);  // the server would look by then
        const uint32_t disabled = low_rm->state().disables.load() - before;
        high->rest();
        return low_rm->becomes_disabled(false) && disabled == 1 && low_rm->state().last_pid.load() == low->pid();
    })) << server->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaInterrupt, AClientThatFallsSilentWhileSuspendedIsPutBackByTheServer) {
    interrupt_low();
    // The low program must be stopped while its own call keeps it off. If it was in a gap of the urgent program's
    // work, it is continued, and stopped again later.
    ASSERT_TRUE(eventually([&] {
        if (!low_rm->becomes_disabled(true)) return false;
        silence_low();
        if (low_rm->disabled() == 4 && low_rm->state().last_pid.load() == low->pid()) return true;
        kill(low->pid(), SIGCONT);
        high->rest();
        low_rm->becomes_disabled(false);
        high->work();
        return false;
    }));
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << server->process().err();
    EXPECT_EQ(low_rm->state().last_pid.load(), server->pid());
    expect_low_answers_and_ends();
}

// The client is frozen inside the call that disables its channels, before it can note that the call was made. So the
// server must enable them.
TEST_F(CudaInterrupt, AClientThatIsFrozenWithinItsCallIsPutBackByTheServer) {
    start_low({{"FAKE_RM_FREEZE", "1"}});
    ASSERT_TRUE(eventually([&] { return held_by_server() > 0; }));
    high->work();
    ASSERT_TRUE(eventually([&] {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(low->pid()), &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0;
    })) << low->process().err();
    high->rest();
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << server->process().err();
    EXPECT_EQ(low_rm->state().last_pid.load(), server->pid());
    expect_low_answers_and_ends();
}

TEST_F(CudaInterrupt, WhatAKilledServerDidForASilentClientTheClientUndoes) {
    ASSERT_NO_FATAL_FAILURE(take_silent_low_off());
    server->stop(SIGKILL);
    ASSERT_EQ(kill(low->pid(), SIGCONT), 0);
    EXPECT_TRUE(low_rm->becomes_disabled(false, 3000)) << low->process().err();
    EXPECT_EQ(low->end(), 0);
}

TEST_F(CudaInterrupt, AKilledClientsChannelsAreEnabledAndItsDescriptorIsClosed) {
    interrupt_low();
    EXPECT_GT(held_by_server(), 0);
    ASSERT_EQ(kill(low->pid(), SIGKILL), 0);
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    EXPECT_EQ(high->end(), 0);
    EXPECT_TRUE(eventually([&] { return held_by_server() == 0; })) << held_by_server() << " are still open";
}

TEST_F(CudaInterrupt, AProgramThatBecomesAnotherLeavesNothingDisabled) {
    start_low();
    high->work();
    ASSERT_TRUE(low_rm->becomes_disabled(true));
    high->rest();
    ASSERT_TRUE(low_rm->becomes_disabled(false));
    low->become();
    EXPECT_TRUE(eventually([&] { return client_count() == 1; }));
    EXPECT_EQ(low_rm->disabled(), 0u);
    EXPECT_TRUE(eventually([&] { return held_by_server() == 1; })) << held_by_server();
}

TEST_F(CudaInterrupt, ARefusedControlLowersTheLevelWithOneLine) {
    start_low({{"FAKE_RM_REFUSE", "2080110b:1b"}});
    high->work();
    ASSERT_TRUE(high->advances());
    EXPECT_TRUE(eventually([&] {
        const Json queues = queues_of(low->pid());
        return !queues.empty() && queues[0].value("level", 0) == kPreemptLevelDeactivate;
    }));
    // The work is put back, perhaps by the server, whose calls are not refused, if the machine gave the client no
    // processor.
    EXPECT_TRUE(low_rm->becomes_disabled(false));
    high->rest();
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before; }));
    EXPECT_EQ(low->end(), 0);
    const std::string log = low->process().err();
    EXPECT_NE(log.find("no preempt level 3 on device 0: the driver allows it to administrators alone"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("no preempt level 3"), log.rfind("no preempt level 3")) << log;
}

TEST_F(CudaInterrupt, WhatTheServerTookOffForOneThatIsRefusedGoesBackOnceItAnswers) {
    start_low({{"FAKE_RM_REFUSE", "2080110b:1b"}});
    ASSERT_NO_FATAL_FAILURE(silence_low());
    high->work();
    ASSERT_TRUE(low_rm->becomes_disabled(true)) << server->process().err();
    ASSERT_EQ(kill(low->pid(), SIGCONT), 0);
    EXPECT_TRUE(low_rm->becomes_disabled(false)) << "its level is 2 then";
    EXPECT_TRUE(high->advances());
    high->rest();
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before; }));
    EXPECT_EQ(low->end(), 0);
}

}  // namespace
}  // namespace xsched::test
