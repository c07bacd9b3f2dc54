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

TEST(Command, RunsOnceIsWaitedForAndDestroyed) {
    FakeDevice device({});
    device.run_freely();
    Callback callback(device);
    const auto& [probe, command] = callback;
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

TEST(Command, WaitsWhileItsQueueIsSuspended) {
    FakeDevice device({});
    Callback callback(device);
    const auto& [probe, command] = callback;
    XQueueSuspend(device.queue().handle(), 0);
    ASSERT_EQ(XQueueSubmit(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 0);
    device.run_freely();
    XQueueResume(device.queue().handle(), 0);
    ASSERT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 1);
    HwCommandDestroy(command);
}

TEST(Command, OneWhoseHandleIsGivenUpStillRuns) {
    FakeDevice device({});
    Callback callback(device);
    const auto& [probe, command] = callback;
    XQueueSuspend(device.queue().handle(), 0);
    XQueueSubmit(device.queue().handle(), command);
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedErrorNotFound);
    device.run_freely();
    XQueueResume(device.queue().handle(), 0);
    EXPECT_EQ(XQueueWaitAll(device.queue().handle()), kXSchedSuccess);
    EXPECT_EQ(device.executed(), std::vector<int>{42});
}

TEST(Command, IsWaitedForOnItsOwnQueueAlone) {
    FakeDevice device({});
    FakeDevice other({});
    device.run_freely();
    Callback callback(device);
    const auto& [probe, command] = callback;
    XQueueSubmit(device.queue().handle(), command);
    EXPECT_EQ(XQueueWait(other.queue().handle(), command), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    HwCommandDestroy(command);
}

// Where nothing is kept back in our memory a command is launched in its place among native calls.
TEST(Command, OnAGatedDeviceItKeepsItsOrderAndIsWaitedFor) {
    FakeDevice device({.levels = 0b110, .gated = true});
    Callback callback(device);
    const auto& [probe, command] = callback;
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

TEST(Command, ADroppedOneReleasesItsWaiter) {
    FakeDevice device({});
    Callback callback(device);
    const auto& [probe, command] = callback;
    XQueueSuspend(device.queue().handle(), 0);
    XQueueSubmit(device.queue().handle(), command);
    XQueueResume(device.queue().handle(), kQueueResumeFlagDropCommands);
    EXPECT_EQ(XQueueWait(device.queue().handle(), command), kXSchedSuccess);
    EXPECT_EQ(probe.ran, 0);
    EXPECT_EQ(HwCommandDestroy(command), kXSchedSuccess);
}

TEST(Command, BadArgumentsAreStatuses) {
    HwCommandHandle command = 0;
    EXPECT_EQ(HwCommandCreateCallback(nullptr, run, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(HwCommandCreateCallback(&command, nullptr, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(HwCommandDestroy(0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSubmit(0, 0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSuspend(12345, 0), kXSchedErrorNotFound);
    EXPECT_EQ(XQueueSuspend(0, 99), kXSchedErrorInvalidValue);
}

}  // namespace
