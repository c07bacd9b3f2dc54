#include <gtest/gtest.h>

#include "fake/device/fake_device.h"
#include "xsched/xsched.h"

namespace {

using xsched::fake::FakeDevice;

struct Probe {
    FakeDevice* device;
    int ran = 0;
    HwQueueHandle seen = 0;
};

XResult run(HwQueueHandle hwq, void* data) {
    auto* probe = static_cast<Probe*>(data);
    probe->seen = hwq;
    ++probe->ran;
    probe->device->enqueue(42);  // what a callback launches on its own queue passes at once
    return kXSchedSuccess;
}

// A callback that is to be submitted to the device's queue.
struct Callback {
    explicit Callback(FakeDevice& on) : probe{&on} {
        EXPECT_EQ(HwCommandCreateCallback(&command, run, &probe), kXSchedSuccess);
    }
    Probe probe;
    HwCommandHandle command = 0;
};

class Command : public testing::Test {
protected:
    void submit_suspended() {
        XQueueSuspend(device.queue().handle(), 0);
        XQueueSubmit(device.queue().handle(), command);
    }
    FakeDevice device{{}};
    Callback callback{device};
    const Probe& probe = callback.probe;
    const HwCommandHandle command = callback.command;
};

TEST_F(Command, RunsOnceIsWaitedForAndDestroyed) {
    device.run_freely();
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedErrorNotAllowed) << "not submitted yet";
    ASSERT_EQ(XQueueSubmit(device.queue().handle(), command), kXSchedSuccess);
    ASSERT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 1);
    EXPECT_EQ(probe.seen, device.hwq());
    EXPECT_EQ(device.executed(), std::vector<int>{42}) << "waiting covers what the callback launched";
    EXPECT_EQ(XQueueSubmit(device.queue().handle(), command), kXSchedErrorNotAllowed) << "once only";
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
    EXPECT_EQ(HwCommandDestroy(command), kXSchedErrorNotFound);
}

TEST_F(Command, WaitsWhileItsQueueIsSuspended) {
    XQueueSuspend(device.queue().handle(), 0);
    ASSERT_EQ(XQueueSubmit(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 0);
    device.run_freely();
    XQueueResume(device.queue().handle(), 0);
    ASSERT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 1);
    HwCommandDestroy(command);
}

TEST_F(Command, OneWhoseHandleIsGivenUpStillRuns) {
    submit_suspended();
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedErrorNotFound);
    device.run_freely();
    XQueueResume(device.queue().handle(), 0);
    EXPECT_EQ(XQueueWaitAll(device.queue().handle()), kXSchedSuccess);
    EXPECT_EQ(device.executed(), std::vector<int>{42});
}

TEST_F(Command, IsWaitedForOnItsOwnQueueAlone) {
    FakeDevice other({});
    device.run_freely();
    XQueueSubmit(device.queue().handle(), command);
    EXPECT_EQ(XQueueWait(other.queue().handle(), command), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    HwCommandDestroy(command);
}

// In a queue with gates no command is held back in host memory, so an XSched command (HwCommand) is launched in its
// place among the program's own driver calls.
TEST(GatedCommand, KeepsItsOrderAndIsWaitedFor) {
    FakeDevice device({.levels = 0b110, .gated = true});
    const Callback callback(device);
    const HwCommandHandle command = callback.command;
    XQueueSuspend(device.queue().handle(), 0);
    device.enqueue(1);
    ASSERT_EQ(XQueueSubmit(device.queue().handle(), command), kXSchedSuccess);
    device.enqueue(2);
    device.run_freely();
    EXPECT_TRUE(device.executed().empty());
    XQueueResume(device.queue().handle(), 0);
    ASSERT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(device.executed(), (std::vector<int>{1, 42, 2}));
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
    const XQueueHandle queue = device.queue().handle();
    EXPECT_EQ(XQueueDestroy(queue), kXSchedSuccess);
    EXPECT_EQ(XQueueResume(queue, 0), kXSchedErrorNotFound) << "a command left the queue unfinished";
}

TEST_F(Command, ADroppedOneReleasesItsWaiter) {
    submit_suspended();
    XQueueResume(device.queue().handle(), kQueueResumeFlagDropCommands);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 0);
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
}

TEST(CommandArguments, BadOnesAreStatuses) {
    HwCommandHandle command = 0;
    EXPECT_EQ(HwCommandCreateCallback(nullptr, run, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(HwCommandCreateCallback(&command, nullptr, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(HwCommandDestroy(0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSubmit(0, 0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSuspend(12345, 0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSuspend(0, 99), kXSchedErrorInvalidValue);
}

}  // namespace
