// Level 3 on devices with gates: what the scheduler asks for, what the backend refuses, and what ends it.
#include "fake/device/fake_device.h"
#include "queue/handover.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "ipc/layout.h"
#include "support/child.h"

namespace xsched {
namespace {

using fake::FakeDevice;

constexpr fake::Traits kInterruptible = {.levels = 0b1110, .gated = true};
constexpr int64_t kBeyondLimit = 10 * base::kSecond;

// As xserver writes it.
void direct(FakeDevice& device, bool suspended, bool interrupt, int32_t by_pid = getpid()) {
    ipc::QueueSlot& slot = device.slot();
    slot.by_pid = by_pid;
    slot.interrupt = interrupt ? 1 : 0;
    slot.directed_ns = base::now_ns();
    slot.suspended = suspended ? 1 : 0;
    ipc::settle_gate(slot);
    device.queue().apply_directive();
}

TEST(XQueueInterrupt, OnlyWhenTheSchedulerAsksForIt) {
    FakeDevice device(kInterruptible);
    direct(device, true, false);
    EXPECT_EQ(device.interrupted, 0) << "its gate is enough";
    EXPECT_EQ(device.slot().interrupted, 0u);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 1) << "raised in the middle";
    EXPECT_EQ(device.slot().interrupted, 1u);
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1);
    direct(device, true, false);
    EXPECT_EQ(device.restored, 0) << "not before it may run";
    direct(device, false, false);
    EXPECT_EQ(device.restored, 1);
    EXPECT_EQ(device.slot().interrupted, 0u);
}

TEST(XQueueInterrupt, TheSchedulerSeesWhatASwitchOfTheHardwareCosts) {
    FakeDevice device(kInterruptible);
    EXPECT_EQ(device.slot().switch_us, FakeDevice::kSwitchUs);
    FakeDevice other({.gated = true});
    EXPECT_EQ(other.slot().switch_us, 0u);
}

TEST(XQueueInterrupt, KeptOffItCanStillBeTakenOff) {
    FakeDevice device(kInterruptible);
    ipc::QueueSlot& slot = device.slot();
    slot.by_pid = getpid();
    slot.interrupt = static_cast<uint32_t>(ipc::Interrupt::kKeptOff);
    slot.directed_ns = base::now_ns();
    slot.suspended = 1;
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1);
    EXPECT_EQ(device.last_interrupt, kXqKeepOff);
    EXPECT_EQ(slot.interrupted, 1u);
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1);
    slot.interrupt = static_cast<uint32_t>(ipc::Interrupt::kTakenOff);
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 2);
    EXPECT_EQ(device.last_interrupt, kXqTakeOff);
    slot.interrupt = static_cast<uint32_t>(ipc::Interrupt::kKeptOff);
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 2) << "not the other way round";
    EXPECT_EQ(device.restored, 0);
    direct(device, false, false);
    EXPECT_EQ(device.restored, 1);
}

TEST(XQueueInterrupt, ALowerLevelNeverInterrupts) {
    FakeDevice device(kInterruptible);
    EXPECT_EQ(device.queue().set_level(kPreemptLevelDeactivate), kXSchedSuccess);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 0);
}

TEST(XQueueInterrupt, TheProgramsOwnSuspensionInterruptsIfItChoseTheLevel) {
    FakeDevice device(kInterruptible);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.interrupted, 0);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.queue().set_level(kPreemptLevelInterrupt), kXSchedSuccess);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.interrupted, 1);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.restored, 1);
}

TEST(XQueueInterrupt, WhatTheBackendDoesNotSupportLowersTheLevel) {
    FakeDevice device(kInterruptible);
    device.no_interrupt = true;
    direct(device, true, true);
    EXPECT_EQ(device.slot().interrupted, 0u);
    EXPECT_NE(device.slot().level, static_cast<uint32_t>(kPreemptLevelInterrupt));
    direct(device, false, false);
    direct(device, true, true);
    EXPECT_EQ(device.interrupt_calls, 1) << "not tried again";
}

TEST(XQueueInterrupt, AnInterruptWithoutEffectLowersTheLevel) {
    FakeDevice device(kInterruptible);
    device.slot().window_ns = base::kMillisecond;
    device.enqueue(0);  // its words are known from here on
    while (device.step()) {
    }
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(device.slot().level, static_cast<uint32_t>(kPreemptLevelInterrupt)) << "round " << round;
        direct(device, true, true);
        device.slot().progress.fetch_add(1);  // the device went on
        direct(device, false, false);
    }
    EXPECT_EQ(device.slot().level, static_cast<uint32_t>(kPreemptLevelDeactivate));
}

TEST(XQueueInterrupt, TheServersOwnDoingIsNoLackOfEffect) {
    FakeDevice device(kInterruptible);
    device.slot().window_ns = base::kMillisecond;
    device.enqueue(0);
    while (device.step()) {
    }
    for (int round = 0; round < 5; ++round) {
        direct(device, true, true);
        device.slot().progress.fetch_add(1);
        device.region().header.outside_changes.fetch_add(2);
        direct(device, false, false);
    }
    EXPECT_EQ(device.slot().level, static_cast<uint32_t>(kPreemptLevelInterrupt));
}

TEST(XQueueInterrupt, WhatStandsForADeadProcessIsPutBack) {
    const pid_t dead = fork();
    if (dead == 0) _exit(0);
    waitpid(dead, nullptr, 0);
    FakeDevice device(kInterruptible);
    direct(device, true, true, dead);
    device.queue().watch_interrupt(base::now_ns());
    EXPECT_EQ(device.restored, 0) << "its limit has not passed";
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 1);
    EXPECT_EQ(device.slot().gate, ipc::kGateClosed) << "the scheduler's gate stays";
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1) << "not again for the same directive";
    direct(device, false, false);
    usleep(1);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 2) << "but for the next one";
    direct(device, false, false);
}

TEST(XQueueInterrupt, WhatStandsForALiveProcessOrAPersonStays) {
    FakeDevice device(kInterruptible);
    direct(device, true, true);
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 0);
    direct(device, false, false);
    device.slot().held = 1;
    direct(device, true, true, 0);
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 1) << "once, by the resume";
    device.slot().held = 0;
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 2) << "for nobody";
    direct(device, false, false);
}

TEST(XQueueInterrupt, ALostServerPutsBack) {
    FakeDevice device(kInterruptible);
    direct(device, true, true);
    auto elsewhere = std::make_unique<ipc::Region>();
    device.queue().attach({&elsewhere->header, &elsewhere->slots[device.queue().index()]});
    EXPECT_EQ(device.restored, 1);
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

TEST(XQueueInterrupt, TimeslicesAreAskedForOnceAndPutBack) {
    FakeDevice device(kInterruptible);
    device.slot().device_timeslice_us = 1;
    device.queue().apply_directive();
    device.queue().apply_directive();
    EXPECT_EQ(device.timeslices, std::vector<uint32_t>{1});
    auto elsewhere = std::make_unique<ipc::Region>();
    device.queue().attach({&elsewhere->header, &elsewhere->slots[device.queue().index()]});
    EXPECT_EQ(device.timeslices, (std::vector<uint32_t>{1, 0})) << "its scheduler is gone";
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

// --- what backends want xserver to have
std::vector<std::string> sent() {
    std::vector<std::string> all;
    queue::send_handovers(
        [](const XqHandover& handover, void* data) {
            static_cast<std::vector<std::string>*>(data)->push_back(
                std::to_string(handover.key) + ":" +
                std::string(static_cast<const char*>(handover.data), handover.bytes));
            return true;
        },
        &all);
    return all;
}

void hand_over(uint64_t key, const std::string& text) {
    XqHandover handover{};
    handover.platform = kPlatformCUDA;
    handover.key = key;
    handover.data = text.data();
    handover.bytes = static_cast<uint32_t>(text.size());
    xq_hand_over(&handover);
}

TEST(Handovers, AreSentOnceToEachServerInTheirNewestForm) {
    EXPECT_FALSE(queue::handovers_pending());
    hand_over(1, "old");
    hand_over(2, "other");
    hand_over(1, "new");
    EXPECT_TRUE(queue::handovers_pending());
    EXPECT_EQ(sent(), (std::vector<std::string>{"1:new", "2:other"}));
    EXPECT_FALSE(queue::handovers_pending());
    EXPECT_TRUE(sent().empty());
    queue::handovers_unsent();
    EXPECT_EQ(sent().size(), 2u);
    hand_over(1, "");
    hand_over(2, "");
    EXPECT_EQ(sent(), (std::vector<std::string>{"1:", "2:"})) << "withdrawn";
    queue::handovers_unsent();
    EXPECT_TRUE(sent().empty());
}

TEST(Handovers, WhatCouldNotBeSentStays) {
    hand_over(1, "x");
    queue::send_handovers([](const XqHandover&, void*) { return false; }, nullptr);
    EXPECT_TRUE(queue::handovers_pending());
    EXPECT_EQ(sent().size(), 1u);
    hand_over(1, "");
    sent();
}

TEST(Handovers, AChildHasNone) {
    hand_over(1, "x");
    EXPECT_EQ(test::in_child([] {
                  queue::handovers_unsent();
                  return sent().empty() ? 0 : 1;
              }),
              0);
    EXPECT_EQ(sent().size(), 1u);
    hand_over(1, "");
    sent();
}

}  // namespace
}  // namespace xsched
