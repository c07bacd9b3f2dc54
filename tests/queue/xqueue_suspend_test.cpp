// Other threads' calls are on their way to the driver while a command is held: whichever arrives first, nothing waits
// for ever, and when a suspend that synchronizes returns nothing of the queue runs on the device.
#include <gtest/gtest.h>

#include <thread>

#include "queue/devices.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;
using namespace xsched::test;

// XQueueSuspend on a thread of its own.
class Suspender {
public:
    explicit Suspender(FakeDevice& device)
        : thread_([this, &device] {
              begun = true;
              device.queue().suspend(kQueueSuspendFlagSyncHwQueue);
              returned = true;
          }) {}
    ~Suspender() { thread_.join(); }

    std::atomic<bool> begun{false}, returned{false};

private:
    std::thread thread_;
};

// An enqueue in two steps, for a driver call that takes its time: the command arrives at the device, and later the
// call returns.
struct SlowCall {
    explicit SlowCall(FakeDevice& its_device) : device(its_device) { xq_admit(device.abi_queue(), &ticket); }
    void land(int id) { device.driver_launch({id, static_cast<FakeDevice::Hold*>(ticket.hold), ticket.token}); }
    void back() { xq_launched(device.abi_queue(), &ticket, kXqSucceeded); }
    void arrive(int id) {
        land(id);
        back();
    }
    FakeDevice& device;
    XqTicket ticket{};
};

TEST(SuspendSync, WaitsForWhatRunsThoughACommandIsStuckBehindAHeldOne) {
    FakeDevice device(kHolds);
    device.enqueue(0);
    SlowCall slow(device);
    Suspender suspender(device);
    ASSERT_TRUE(eventually([&] { return device.slot().api_suspended == 1; }))
        << "a call that lasts does not prevent it";
    device.enqueue(1);  // held, and first in the driver
    slow.arrive(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(suspender.returned) << "command 0 runs";
    EXPECT_TRUE(device.step());
    EXPECT_FALSE(device.step());
    EXPECT_TRUE(eventually([&] { return suspender.returned.load(); })) << "command 2 waits behind 1, which is held";
    device.queue().resume(kQueueResumeFlagNone);
    while (device.step()) {
    }
    EXPECT_EQ(device.executed(), (std::vector<int>{0, 1, 2}));
}

TEST(SuspendSync, BeginsWhenNoCallIsUnderWay) {
    bool begun_between = true;
    for (int attempt = 0; attempt < 20 && begun_between; ++attempt) {
        FakeDevice device(kHolds);
        SlowCall slow(device);
        Suspender suspender(device);
        ASSERT_TRUE(eventually([&] { return suspender.begun.load(); }));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        SlowCall next(device);
        begun_between = device.slot().api_suspended == 1;  // this machine is slow: the suspend has lost its patience
        next.arrive(0);
        slow.arrive(1);
        device.run_freely();
        EXPECT_TRUE(eventually([&] { return suspender.returned.load(); }));
        EXPECT_EQ(device.slot().api_suspended, 1u);
        if (begun_between) continue;
        EXPECT_EQ(device.executed(), (std::vector<int>{0, 1})) << "nothing is left to run";
        device.enqueue(2);
        EXPECT_EQ(device.runnable(), 0u);
    }
    EXPECT_FALSE(begun_between);
}

// Blocking calls of two threads: neither returns before its command has run.
TEST(Window, KeepsNothingBackThatACallUnderWayMayEndUpBehind) {
    FakeDevice device(kHolds);
    device.queue().set_launch_config(1, 1);
    SlowCall first(device);
    SlowCall second(device);
    second.land(1);
    first.land(0);
    EXPECT_TRUE(device.step()) << "held, and opened by nobody";
    EXPECT_TRUE(device.step());
    second.back();
    first.back();
}

TEST(SuspendSync, AFailedCallIsNotTakenForACompletion) {
    FakeDevice device(kHolds);
    device.enqueue(0);
    Suspender suspender(device);
    ASSERT_TRUE(eventually([&] { return device.slot().api_suspended == 1; }));
    EXPECT_FALSE(device.enqueue(1, true));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(suspender.returned) << "command 0 runs";
    EXPECT_TRUE(device.step());
    EXPECT_TRUE(eventually([&] { return suspender.returned.load(); }));
}

TEST(SuspendSync, AsksForCommandsThatDoNotReportThemselves) {
    FakeDevice device(kBuffers);
    XqTicket ticket{};
    for (int i = 0; i < 1000; ++i) {  // until commands are known to be short
        xq_admit(device.abi_queue(), &ticket);
        if (ticket.token == 0) break;
        device.driver_launch({i, nullptr, ticket.token});
        xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
        device.step();
    }
    ASSERT_EQ(ticket.token, 0u);
    Suspender suspender(device);
    ASSERT_TRUE(eventually([&] { return device.slot().api_suspended == 1; }));
    device.driver_launch({1000, nullptr, 0});
    xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
    device.run_freely();
    EXPECT_TRUE(eventually([&] { return suspender.returned.load(); }));
    device.queue().report_all();  // a suspend that does not ask is let go
}

// Without gates, a command that runs when its queue is suspended runs on to its end. All of that time counts as its
// length.
TEST(XQueueSuspend, ACommandThatRunsMeanwhileIsAsLongAsItRan) {
    FakeDevice device(kHolds);
    device.enqueue(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_TRUE(device.step());
    EXPECT_GE(device.slot().command_ns, 40'000'000);
    device.queue().resume(kQueueResumeFlagNone);
}

}  // namespace
