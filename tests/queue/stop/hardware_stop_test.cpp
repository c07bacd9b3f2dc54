// Levels 2 and 3: what the scheduler asks for, what the backend refuses, and what ends it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "base/clock.h"
#include "base/time.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "queue/hardware_stops.h"

namespace xsched {
namespace {

using fake::FakeDevice;
using test::direct;
using test::make_words_known;

constexpr int64_t kBeyondLimit = 10 * base::kSecond;
constexpr auto kNothing = static_cast<uint32_t>(ipc::Taken::kNothing), kOff = static_cast<uint32_t>(ipc::Taken::kOff),
               kSlowed = static_cast<uint32_t>(ipc::Taken::kSlowed),
               kTaking = static_cast<uint32_t>(ipc::Taken::kTaking);

void expect_put_back(FakeDevice& device) {
    direct(device, false, false);
    EXPECT_EQ(device.restored, 1);
    EXPECT_EQ(device.slot().taken, kNothing);
}

TEST(HardwareStop, OnlyWhenTheSchedulerAsksForIt) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, false);
    EXPECT_EQ(device.interrupted, 0) << "its gate is enough";
    EXPECT_EQ(device.slot().taken, kNothing);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 1) << "raised in the middle";
    EXPECT_EQ(device.slot().taken, kOff);
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1);
    expect_put_back(device);
}

// A process may be frozen before its call returns. The slot says before the call what is taken off, so xserver can put
// it back.
TEST(HardwareStop, TheSlotSaysThatTheCallIsUnderWay) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    EXPECT_EQ(device.taken_within, kTaking);
    expect_put_back(device);
    device.refuse_interrupt = true;
    direct(device, true, true);
    EXPECT_EQ(device.taken_within, kTaking);
    EXPECT_EQ(device.slot().taken, kNothing);
}

// A queue that seems idle is put back on the device: its unseen work goes on, its commands stop at their gate.
TEST(HardwareStop, WhatSeemsIdleIsPutBackBehindItsGate) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    ASSERT_EQ(device.slot().taken, kOff);
    direct(device, true, false);
    EXPECT_EQ(device.restored, 1);
    EXPECT_EQ(device.slot().taken, kNothing);
    EXPECT_NE(device.slot().gate, ipc::kGateOpen);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 2) << "it has work again";
    direct(device, false, false);
    EXPECT_EQ(device.restored, 2);
}

// A queue that is let back before the other program's burst ends is not charged for its time off the device.
TEST(HardwareStop, WhatIsLetBackIsNotChargedForTheTimeThatItWasOff) {
    FakeDevice device(test::kInterruptible);
    device.region().header.watching = 1;
    const auto synchronize = [&device] {
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        while (device.step()) {
        }
        xq_sync_end(device.abi_queue(), mark);
    };
    make_words_known(device);
    synchronize();
    for (int i = 0; i < 8; ++i) {
        device.enqueue(i);
        base::sleep_ns(10 * base::kMillisecond);  // so long does a command take
        synchronize();
    }
    const int64_t before_ns = device.slot().busy_ns;
    int64_t runs_ns = -base::now_ns();
    for (int i = 0; i < 4; ++i) device.enqueue(i);
    direct(device, true, true);
    runs_ns += base::now_ns();
    base::sleep_ns(30 * base::kMillisecond);
    device.slot().interrupt = 0;
    runs_ns -= base::now_ns();  // it may be back before the next call returns
    device.queue().apply_directive();
    EXPECT_EQ(device.restored, 1);
    direct(device, false, false);
    synchronize();
    runs_ns += base::now_ns();
    EXPECT_LE(device.slot().busy_ns - before_ns, runs_ns);
}

TEST(HardwareStop, TheSchedulerSeesWhatItCosts) {
    FakeDevice device(test::kInterruptible);
    EXPECT_EQ(device.slot().switch_us, FakeDevice::kCosts.switch_us);
    EXPECT_EQ(device.slot().off_us, FakeDevice::kCosts.off_us);
    EXPECT_EQ(device.slot().most_off_us, FakeDevice::kCosts.most_off_us);
    EXPECT_EQ(device.slot().effect_us, FakeDevice::kCosts.effect_us);
    EXPECT_EQ(device.slot().interrupt_us, FakeDevice::kCosts.interrupt_us);
    FakeDevice other({.gated = true});
    EXPECT_EQ(other.slot().switch_us, 0u);
}

// The scheduler is told how long the calls that took this queue off the device lasted on this machine.
TEST(HardwareStop, TheSchedulerSeesHowLongItsCallsTake) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    device.calls_us = 250;
    device.queue().look_if_asked();
    EXPECT_EQ(device.slot().interrupt_us, 250U);
}

TEST(HardwareStop, KeptOffItCanStillBeTakenOff) {
    FakeDevice device(test::kInterruptible);
    ipc::QueueSlot& slot = device.slot();
    slot.by_pid = getpid();
    slot.interrupt = static_cast<uint32_t>(ipc::Interrupt::kKeptOff);
    slot.directed_ns = base::now_ns();
    slot.suspended = 1;
    device.queue().apply_directive();
    EXPECT_EQ(device.interrupted, 1);
    EXPECT_EQ(device.last_interrupt, kXqKeepOff);
    EXPECT_EQ(slot.taken, kOff);
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

TEST(HardwareStop, ALowerLevelNeverInterrupts) {
    FakeDevice device(test::kInterruptible);
    EXPECT_EQ(device.queue().set_level(kPreemptLevelDeactivate), kXSchedSuccess);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 0);
}

TEST(HardwareStop, TheProgramsOwnSuspensionInterruptsIfItChoseTheLevel) {
    FakeDevice device(test::kInterruptible);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.interrupted, 0);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.queue().set_level(kPreemptLevelInterrupt), kXSchedSuccess);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.interrupted, 1);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.restored, 1);
}

TEST(HardwareStop, WhatTheBackendDoesNotSupportLowersTheLevel) {
    FakeDevice device(test::kInterruptible);
    device.no_interrupt = true;
    direct(device, true, true);
    EXPECT_EQ(device.slot().taken, kNothing);
    EXPECT_NE(device.slot().level, static_cast<uint32_t>(kPreemptLevelInterrupt));
    direct(device, false, false);
    direct(device, true, true);
    EXPECT_EQ(device.interrupt_calls, 1) << "not tried again";
}

constexpr auto kInterrupt = static_cast<uint32_t>(kPreemptLevelInterrupt);

void go_on(FakeDevice& device) { device.slot().progress.fetch_add(1); }

// Returns a queue's level after it was taken off three times. `early`, `late`: run before and after its agent acts.
template <typename Early, typename Late>
uint32_t level_after(FakeDevice& device, Early early, Late late) {
    make_words_known(device);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(device.slot().level, kInterrupt) << "round " << round;
        direct(device, true, true);
        early();
        device.queue().look_if_asked();
        late();
        direct(device, false, false);
    }
    return device.slot().level;
}

TEST(HardwareStop, AnInterruptWithoutEffectLowersTheLevel) {
    FakeDevice device(test::kInterruptible);
    EXPECT_EQ(level_after(device, [] {}, [&] { go_on(device); }), static_cast<uint32_t>(kPreemptLevelDeactivate));
}

// A process's channels are disabled when its last queue asks, and that call takes a millisecond.
TEST(HardwareStop, WhatCompletesBeforeTheOtherQueuesHaveAskedIsNoLackOfEffect) {
    FakeDevice device(test::kInterruptible);
    EXPECT_EQ(level_after(device, [&] { go_on(device); }, [] {}), kInterrupt);
}

// All channels of a process go on once one of its queues may run: completions then are no sign of a lacking effect.
TEST(HardwareStop, WhatCompletesOnceAnotherQueueMayRunIsNoLackOfEffect) {
    FakeDevice device(test::kInterruptible);
    const auto another_may_run = [&] {
        ++device.stop;
        go_on(device);
    };
    EXPECT_EQ(level_after(device, [] {}, another_may_run), kInterrupt);
}

TEST(HardwareStop, WhatWentOnBeforeAnotherQueueMayRunIsALackOfEffect) {
    FakeDevice device(test::kInterruptible);
    const auto another_is_told_first = [&] {
        go_on(device);
        device.queue().look_before_directives();
        ++device.stop;
    };
    EXPECT_EQ(level_after(device, [] {}, another_is_told_first), static_cast<uint32_t>(kPreemptLevelDeactivate));
}

// If the driver lets everything run, for example to free something, progress says nothing about level 3.
TEST(HardwareStop, WhatIsNotStoppedAfterAllSaysNothing) {
    FakeDevice device(test::kInterruptible);
    device.stop = 0;
    EXPECT_EQ(level_after(device, [] {}, [&] { go_on(device); }), kInterrupt);
}

TEST(HardwareStop, TheServersOwnDoingIsNoLackOfEffect) {
    FakeDevice device(test::kInterruptible);
    const auto server_starts_it = [&] {
        go_on(device);
        device.region().header.outside_changes.fetch_add(2);
    };
    EXPECT_EQ(level_after(device, [] {}, server_starts_it), kInterrupt);
}

TEST(HardwareStop, WhatIsSuspendedForADeadProcessIsPutBack) {
    const pid_t dead = fork();
    if (dead == 0) _exit(0);
    waitpid(dead, nullptr, 0);
    FakeDevice device(test::kInterruptible);
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

TEST(HardwareStop, WhatIsSuspendedForALiveProcessOrAPersonStays) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 0);
    direct(device, false, false);
    device.slot().suspended_for_nobody = 1;
    direct(device, true, true, 0);
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 1) << "once, by the resume";
    device.slot().suspended_for_nobody = 0;
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 2) << "for nobody";
    direct(device, false, false);
}

// If level 3 leaves a victim a few compute units (it is slowed), its commands go on, and launches do not wait.
TEST(HardwareStop, WhatIsOnlySlowedGoesOn) {
    FakeDevice device(test::kInterruptible);
    device.only_slows = true;
    device.slot().window_ns = base::kMillisecond;
    device.enqueue(0);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 1);
    EXPECT_EQ(device.slot().taken, kSlowed) << "not off the device";
    EXPECT_EQ(device.slot().gate, ipc::kGateOpen);
    device.enqueue(1);  // does not wait, and runs
    while (device.step()) {
    }
    EXPECT_EQ(device.executed(), (std::vector<int>{0, 1}));
    device.queue().watch_interrupt(base::now_ns() + kBeyondLimit);
    EXPECT_EQ(device.restored, 0) << "nothing is off that would have to be put back";
    expect_put_back(device);
}

TEST(HardwareStop, ProgressOfWhatIsSlowedIsNoLackOfEffect) {
    FakeDevice device(test::kInterruptible);
    device.only_slows = true;
    EXPECT_EQ(level_after(device, [] {}, [&] { go_on(device); }), kInterrupt);
}

TEST(HardwareStop, WhoeverIsToStopIsNotOnlySlowed) {
    FakeDevice device(test::kInterruptible);
    device.only_slows = true;
    device.slot().suspended_for_nobody = 1;  // a person, or a limit
    direct(device, true, true, 0);
    EXPECT_EQ(device.slot().taken, kSlowed);
    EXPECT_EQ(device.slot().gate, ipc::kGateClosed);
    device.slot().suspended_for_nobody = 0;
    direct(device, false, false);
    EXPECT_EQ(device.queue().set_level(kPreemptLevelInterrupt), kXSchedSuccess);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.slot().taken, kSlowed);
    EXPECT_EQ(device.slot().gate, ipc::kGateClosed) << "the program's own suspension";
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.slot().gate, ipc::kGateOpen);
}

// If a slowed queue gets its compute units back for another queue that shares them, its gate is closed.
TEST(HardwareStop, WhatIsNotSlowedAnyMoreHasItsGateClosed) {
    FakeDevice device(test::kInterruptible);
    device.only_slows = true;
    direct(device, true, true);
    EXPECT_EQ(device.slot().gate, ipc::kGateOpen);
    device.only_slows = false;
    device.queue().look_if_asked();
    EXPECT_EQ(device.slot().taken, kOff);
    EXPECT_EQ(device.slot().gate, ipc::kGateClosed);
    device.only_slows = true;
    device.queue().look_if_asked();
    EXPECT_EQ(device.slot().gate, ipc::kGateOpen);
    direct(device, false, false);
}

TEST(HardwareStop, ALostServerPutsBack) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    auto elsewhere = std::make_unique<ipc::Region>();
    device.queue().attach({&elsewhere->header, &elsewhere->slots[device.queue().index()]});
    EXPECT_EQ(device.restored, 1);
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

TEST(HardwareStop, TimeslicesAreAskedForOnceAndPutBack) {
    FakeDevice device(test::kInterruptible);
    device.slot().device_timeslice_us = 1;
    device.queue().apply_directive();
    device.queue().apply_directive();
    EXPECT_EQ(device.timeslices, std::vector<uint32_t>{1});
    auto elsewhere = std::make_unique<ipc::Region>();
    device.queue().attach({&elsewhere->header, &elsewhere->slots[device.queue().index()]});
    EXPECT_EQ(device.timeslices, (std::vector<uint32_t>{1, 0})) << "its scheduler is gone";
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

TEST(HardwareStop, TheHighestLevelActsOnTheHardware) {
    FakeDevice device({.holds = false, .levels = 0b1110});
    device.enqueue(0);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.interrupted, 1);
    EXPECT_FALSE(device.step()) << "what is on the device stands still";
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.restored, 1);
    EXPECT_TRUE(device.step());
}

TEST(HardwareStop, ALowerLevelCanBeChosenAndAMissingOneIsRefused) {
    FakeDevice device({.holds = false, .levels = 0b0110});
    EXPECT_EQ(device.queue().set_level(3), kXSchedErrorNotSupported);
    EXPECT_EQ(device.queue().set_level(4), kXSchedErrorInvalidValue);
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.deactivated, 1);
    EXPECT_EQ(device.queue().set_level(1), kXSchedSuccess);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.reactivated, 1) << "undone with the level that did it";
    device.queue().suspend(kQueueSuspendFlagNone);
    EXPECT_EQ(device.deactivated, 1);
}

TEST(HardwareStop, ARefusedInterruptFallsBackToLevelOne) {
    FakeDevice device({.holds = false, .levels = 0b1110});
    device.refuse_interrupt = true;
    device.enqueue(0);
    EXPECT_EQ(device.queue().suspend(kQueueSuspendFlagNone), kXSchedSuccess);
    device.enqueue(1);
    EXPECT_TRUE(device.step());
    EXPECT_FALSE(device.step());
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_EQ(device.restored, 0);
}

}  // namespace
}  // namespace xsched
