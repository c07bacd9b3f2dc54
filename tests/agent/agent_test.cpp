#include "agent/agent.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "fake/device/fake_device.h"
#include "ipc/slot_hints.h"
#include "queue/path/directive_sleep.h"
#include "support/eventually.h"
#include "support/small_server.h"
#include "xsched/xsched.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;
using xsched::test::eventually;
using xsched::test::let_time_pass;
using xsched::test::SmallServer;

constexpr Traits kApi{.through_api = true};

// The socket that these tests serve. It is set before main(), since the options are read once per process.
const std::string kSocket = [] {
    const std::string path = "/tmp/xsched-agent-test-" + std::to_string(getpid()) + ".sock";
    setenv("XSCHED_SOCKET", path.c_str(), 1);
    setenv("XSCHED_SCHEDULER", "app", 1);
    return path;
}();

class Agent : public testing::Test {
protected:
    void use(XSchedulerType type) { ASSERT_EQ(XHintSetScheduler(type, kPolicyHighestPriorityFirst), kXSchedSuccess); }
    void TearDown() override { use(kSchedulerAppManaged); }
};

// A device whose only command is held back, since the server has suspended its queue.
class SuspendedByServer : public Agent {
protected:
    void SetUp() override {
        use(kSchedulerGlobal);
        ASSERT_TRUE(server.wait_for_client());
        device.emplace(kApi);
        server.set_suspended(true);
        device->enqueue(0);
    }
    void TearDown() override {
        device.reset();
        Agent::TearDown();
    }
    SmallServer server{kSocket};
    std::optional<FakeDevice> device;
};

TEST_F(Agent, AppManagedNobodySuspends) {
    use(kSchedulerAppManaged);
    FakeDevice device(kApi);
    device.enqueue(1);
    EXPECT_TRUE(device.step());
    EXPECT_EQ(xsched::agent::scheduler(), kSchedulerAppManaged);
}

TEST_F(Agent, TheLocalSchedulerLetsTheMoreUrgentQueueThrough) {
    use(kSchedulerLocal);
    FakeDevice low(kApi);
    FakeDevice high(kApi);
    ASSERT_EQ(XHintPriority(high.handle(), 10), kXSchedSuccess);
    low.enqueue(0);
    ASSERT_TRUE(eventually([&] { return low.slot().window_ns != 0; })) << "the low queue knows that it competes";
    high.enqueue(0);
    ASSERT_TRUE(eventually([&] { return low.slot().suspended != 0; }));
    low.enqueue(1);
    high.run_freely();
    ASSERT_TRUE(eventually([&] { return low.slot().suspended == 0; }));
    low.run_freely();
    EXPECT_TRUE(eventually([&] { return low.executed().size() == 2; }));
}

TEST_F(Agent, WakesThreadsThatSleepUntilADirective) {
    SmallServer server(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    FakeDevice device(kApi);  // which has the agent run
    xsched::ipc::Header& header = server.region().header;
    std::atomic<bool> awake{false};
    std::thread sleeper([&] {
        xsched::queue::DirectiveSleep::sleep(header, header.directive.load(), 600 * xsched::base::kSecond);
        awake = true;
    });
    let_time_pass();
    header.directive.fetch_add(1);  // as beside an agent that looks instead of sleeping: no thread is woken
    EXPECT_TRUE(eventually([&] { return awake.load(); }));
    xsched::base::futex_wake_all(header.directive);
    sleeper.join();
}

TEST_F(Agent, HintsAreKeptWhenTheSchedulerChanges) {
    use(kSchedulerLocal);
    FakeDevice device(kApi);
    XHintPriority(device.handle(), -7);
    use(kSchedulerAppManaged);
    use(kSchedulerLocal);
    EXPECT_EQ(device.slot().priority, -7);
}

TEST_F(Agent, HintsMoveToTheServerAndBack) {
    FakeDevice device(kApi);
    XHintPriority(device.handle(), -7);
    XHintLaxity(device.handle(), 900, -3, 9);
    XHintDeadline(device.handle(), 8000);
    XHintExpect(device.handle(), 3'000'000'000);
    XHintPeriod(device.handle(), 7000);
    const int64_t expect_ns = device.slot().expect_ns;
    const auto expect_hints = [&](const char* where) {
        EXPECT_EQ(device.slot().priority, -7) << where;
        EXPECT_EQ(device.slot().laxity_us, 900) << where;
        EXPECT_EQ(device.slot().lax_priority, -3) << where;
        EXPECT_EQ(device.slot().critical_priority, 9) << where;
        EXPECT_EQ(device.slot().deadline_us, 8000) << where;
        EXPECT_EQ(device.slot().expect_ns, expect_ns) << where;
        EXPECT_EQ(device.slot().period_us, 7000) << where;
    };
    {
        SmallServer server(kSocket);
        use(kSchedulerGlobal);
        ASSERT_TRUE(server.wait_for_client());
        expect_hints("with the server");
    }
    ASSERT_TRUE(eventually([] { return xsched::agent::scheduler() == kSchedulerAppManaged; }));
    expect_hints("without the server");
}

TEST_F(Agent, AQueueThatMustNotExecuteDoesNot) {
    use(kSchedulerLocal);
    FakeDevice device(kApi);
    ASSERT_EQ(XHintPriority(device.handle(), PRIORITY_NO_EXECUTE), kXSchedSuccess);
    ASSERT_TRUE(eventually([&] { return device.slot().suspended != 0; }));
    device.enqueue(1);
    EXPECT_FALSE(device.step());
    ASSERT_EQ(XHintPriority(device.handle(), PRIORITY_DEFAULT), kXSchedSuccess);
    EXPECT_TRUE(eventually([&] { return device.step(); }));
}

TEST_F(Agent, WithoutAServerItRunsUnscheduled) {
    use(kSchedulerGlobal);
    EXPECT_EQ(xsched::agent::scheduler(), kSchedulerAppManaged);
    FakeDevice device(kApi);
    device.enqueue(0);
    EXPECT_TRUE(device.step());
}

TEST_F(Agent, TheServersDirectivesAreCarriedOut) {
    SmallServer server(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    EXPECT_EQ(xsched::agent::scheduler(), kSchedulerGlobal);
    FakeDevice device(kApi);
    server.set_suspended(true);
    device.enqueue(0);
    EXPECT_FALSE(device.step());
    server.set_suspended(false);
    EXPECT_TRUE(eventually([&] { return device.step(); }));
}

TEST_F(Agent, QueuesMadeBeforeTheServerCameMoveToIt) {
    FakeDevice device(kApi);
    device.enqueue(0);
    SmallServer server(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    EXPECT_EQ(server.region().slots[device.queue().index()].submitted, 1u);
    device.step();
    EXPECT_EQ(server.region().slots[device.queue().index()].completed, 1u);
}

TEST_F(Agent, AServerThatDiesLeavesNobodySuspendedAndIsFoundAgain) {
    auto server = std::make_unique<SmallServer>(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server->wait_for_client());
    FakeDevice device(kApi);
    server->set_suspended(true);
    device.enqueue(0);
    server.reset();
    EXPECT_TRUE(eventually([&] { return device.step(); }));
    EXPECT_EQ(xsched::agent::scheduler(), kSchedulerAppManaged);
    SmallServer next(kSocket);
    ASSERT_TRUE(next.wait_for_client());
    EXPECT_TRUE(eventually([&] { return next.region().slots[device.queue().index()].submitted == 1u; }));
}

// The agent's thread sleeps until a directive or an order comes. A killed server sends neither, but is noticed.
TEST_F(Agent, AServerThatDiesIsNoticedAtOnceAndItsSuccessorFound) {
    auto server = std::make_unique<SmallServer>(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server->wait_for_client());
    FakeDevice device(kApi);
    std::vector<int64_t> took;
    for (int i = 0; i < 7; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // asleep
        server.reset();
        const int64_t began = xsched::base::now_ns();
        server = std::make_unique<SmallServer>(kSocket);
        ASSERT_TRUE(server->wait_for_client());
        ASSERT_TRUE(eventually([&] { return xsched::agent::scheduler() == kSchedulerGlobal; }));
        took.push_back(xsched::base::now_ns() - began);
    }
    std::sort(took.begin(), took.end());
    EXPECT_LT(took[took.size() / 2], 200 * xsched::base::kMillisecond);
}

TEST_F(Agent, AProcessThatBeganWithoutAServerFindsOneLater) {
    use(kSchedulerGlobal);
    EXPECT_EQ(xsched::agent::scheduler(), kSchedulerAppManaged);
    FakeDevice device(kApi);
    device.enqueue(0);
    SmallServer server(kSocket);
    ASSERT_TRUE(server.wait_for_client());
    EXPECT_TRUE(eventually([&] { return server.region().slots[device.queue().index()].submitted == 1u; }));
    EXPECT_TRUE(device.step());
}

TEST_F(Agent, WhatAToolSetIsKeptWhenTheServerDiesAndHeardAgainAfterwards) {
    auto server = std::make_unique<SmallServer>(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server->wait_for_client());
    FakeDevice device(kApi);
    const uint32_t index = device.queue().index();
    const auto configure = [&](uint32_t threshold) {  // as xcli config
        xsched::ipc::QueueSlot& slot = server->region().slots[index];
        slot.want_threshold = threshold;
        slot.want_batch_size = 2;
        slot.want_serial.fetch_add(1);
        xsched::ipc::ring_directive(server->region().header);
        return eventually([&] { return slot.threshold == threshold; });
    };
    ASSERT_TRUE(configure(21));
    server->region().slots[index].priority = 33;  // as xcli hint
    server->region().slots[index].utilization = 44;
    server->region().slots[index].timeslice_us = 5500;
    server->region().header.default_priority = -9;
    server->region().header.default_hints = 1;
    for (const uint32_t next : {22u, 23u}) {
        server.reset();
        server = std::make_unique<SmallServer>(kSocket);
        ASSERT_TRUE(server->wait_for_client());
        const xsched::ipc::QueueSlot& slot = server->region().slots[index];
        ASSERT_TRUE(eventually([&] { return slot.state == static_cast<uint32_t>(xsched::ipc::SlotState::kUsed); }));
        EXPECT_EQ(slot.threshold, next - 1);
        EXPECT_EQ(slot.priority, 33);
        EXPECT_EQ(slot.utilization, 44);
        EXPECT_EQ(slot.timeslice_us, 5500);
        FakeDevice later(kApi);
        EXPECT_EQ(later.slot().priority, -9) << "xcli hint --pid is for queues made later, too";
        EXPECT_TRUE(configure(next)) << "serials begin again with each server";
    }
}

// With log level DEBG, a program's own log has the server's decisions about it, with the names of programs.
TEST_F(Agent, DecisionsAreInItsOwnLog) {
    SmallServer server(kSocket);
    xsched::base::set_log_level(xsched::base::LogLevel::kDebug);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    FakeDevice device(kApi);
    EXPECT_EQ(server.region().header.wants_decisions.load(), 1U);
    const uint32_t index = device.queue().index();
    char name[32];
    snprintf(name, sizeof(name), "queue %p", reinterpret_cast<void*>(server.region().slots[index].hwq.load()));
    const std::string first = name + std::string(
                                         " (priority 1) suspended: makes room for a more urgent unit that has "
                                         "work (pid 4711, priority 9); by its gate");
    // The decision is sent until the captured log has it: standard error is captured for a moment only.
    std::string log;
    EXPECT_TRUE(eventually([&] {
        testing::internal::CaptureStderr();
        server.region().header.decisions.add({.kind = xsched::ipc::DecisionKind::kSuspended,
                                              .slot = index,
                                              .priority = 1,
                                              .pid = 4711,
                                              .pid_priority = 9,
                                              .reason = 2,
                                              .mechanism = 1});
        server.region().header.decisions.add(
            {.kind = xsched::ipc::DecisionKind::kResumedFor, .slot = index, .pid = 4712, .pid_queue = 3});
        server.region().header.decisions.add(
            {.kind = xsched::ipc::DecisionKind::kSuspendedFor, .slot = index, .pid = 4713, .pid_queue = 5});
        xsched::ipc::ring_directive(server.region().header);
        usleep(50'000);
        log = testing::internal::GetCapturedStderr();
        return log.find(first) != std::string::npos && log.find("queue 3 of pid 4712") != std::string::npos &&
               log.find("queue 5 of pid 4713 (priority 0) suspended\n") != std::string::npos;
    })) << log;
    xsched::base::set_log_level(xsched::base::LogLevel::kInfo);
}

// Queues begin with the priority that a person set for the process earlier; a rule's counts if none was set.
TEST_F(Agent, QueuesBeginWithWhatAPersonSaid) {
    SmallServer server(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    xsched::ipc::Header& header = server.region().header;
    xsched::ipc::store_default(header, xsched::base::HintId::share, 35);
    xsched::ipc::store_default(header, xsched::base::HintId::priority, -4);
    XHintTimeslice(3000);
    for (const auto id : {xsched::base::HintId::timeslice_us, xsched::base::HintId::window})
        xsched::ipc::store_rule(header, id, 200);
    header.default_threshold = 9;
    header.default_level = kPreemptLevelBlock;
    FakeDevice device(kApi);
    const xsched::ipc::QueueSlot& slot = server.region().slots[device.queue().index()];
    EXPECT_EQ(std::pair(slot.share.load(), slot.priority.load()), std::pair(35, -4));
    EXPECT_EQ(std::pair(slot.timeslice_us.load(), slot.window.load()), std::pair(int64_t{3000}, 200));
    EXPECT_EQ(slot.threshold.load(), 9U);
    header.default_hints = header.rule_hints = header.default_level = header.default_threshold =
        0;  // the process would keep them
}

TEST_F(SuspendedByServer, AServerThatHangsLeavesNobodySuspended) {
    server.beating = false;
    EXPECT_TRUE(eventually([&] { return device->step(); }));
    EXPECT_TRUE(eventually([&] { return server.client_gone(); })) << "it will notice when it wakes";
}

TEST_F(SuspendedByServer, AServerThatLetsGoIsLeft) {
    server.region().header.detached = 1;
    xsched::ipc::ring_directive(server.region().header);
    EXPECT_TRUE(eventually([&] { return device->step(); }));
}

TEST_F(SuspendedByServer, AGuestThatClosesItsDescriptorsLosesOnlyScheduling) {
    // Closes the agent's socket behind its back, and lets the guest's files reuse its descriptor number.
    std::vector<int> reused;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int fd = std::stoi(entry.path().filename());
        sockaddr_storage address{};
        socklen_t bytes = sizeof(address);
        if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0 || address.ss_family != AF_UNIX)
            continue;
        if (bytes <= sizeof(sa_family_t)) continue;  // the server's end has an unnamed peer; ours is named by its path
        const int file = open("/dev/null", O_RDONLY);
        dup2(file, fd);
        close(file);
        reused.push_back(fd);
    }
    ASSERT_FALSE(reused.empty());
    EXPECT_TRUE(eventually([&] { return device->step(); }));
    for (int fd : reused) {
        EXPECT_NE(fcntl(fd, F_GETFD), -1) << "the guest's own file was closed";
        close(fd);
    }
}

TEST_F(Agent, ForksChildTouchesNothingOfItsParents) {
    SmallServer server(kSocket);
    use(kSchedulerGlobal);
    ASSERT_TRUE(server.wait_for_client());
    FakeDevice device(kApi);
    device.enqueue(0);
    server.set_suspended(true);
    const uint32_t index = device.queue().index();
    int ready[2];
    int leave[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(leave), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        device.enqueue(1);  // its own copy of the queue, never suspended, in memory of its own
        const bool ran = device.step() && device.step();
        const bool mine = ran && server.region().slots[index].submitted == 1;
        char byte = mine ? 'y' : 'n';
        if (write(ready[1], &byte, 1) != 1 || read(leave[0], &byte, 1) != 1) _exit(2);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_EQ(server.region().slots[index].submitted, 1u);
    // The server must see at once that the parent disconnects: the child holds no copy of the connection open.
    server.region().header.detached = 1;
    xsched::ipc::ring_directive(server.region().header);
    EXPECT_TRUE(eventually([&] { return server.client_gone(); }));
    ASSERT_EQ(write(leave[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    device.run_freely();
}

}  // namespace
