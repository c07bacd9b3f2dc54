// The launches before a command of a gated queue, and the callers that wait.
#include <gtest/gtest.h>

#include <random>

#include "base/clock.h"
#include "queue/gated_device.h"
#include "support/eventually.h"
#include "xsched/xqueue.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;
using namespace xsched::test;

constexpr Traits kNoGates{.levels = kLevels, .gated = true, .gates = false};

// Launches `count` commands on a thread of its own.
class Program {
public:
    Program(FakeDevice& device, int count)
        : device_(device), count_(count), thread_([this] {
              for (int i = 0; i < count_; ++i, ++launched_) device_.enqueue(i);
          }) {}
    int launched() const { return launched_; }
    void join() { thread_.join(); }
    // Opens the gate of a device that runs what it gets, and waits until all has run.
    void all_run() {
        device_.run_freely();
        direct(device_, false);
        join();
        EXPECT_TRUE(eventually([&] { return device_.executed().size() == static_cast<size_t>(count_); }));
    }

private:
    FakeDevice& device_;
    const int count_;
    std::atomic<int> launched_{0};
    std::thread thread_;
};

TEST(GatedPath, AloneACommandCostsNothingOnTheDevice) {
    FakeDevice device(kGates);
    for (int i = 0; i < 5000; ++i) device.enqueue(i);
    EXPECT_EQ(device.in_driver(), 5000u);
    EXPECT_EQ(device.gates_inserted + device.progress_written + device.binds, 0);
}

TEST(GatedPath, ASuspendedQueuesCommandsGoBehindAGateThatStopsThemTheNextTimeToo) {
    FakeDevice device(kGates);
    direct(device, true);
    for (int i = 0; i < 100; ++i) device.enqueue(i);
    EXPECT_FALSE(device.step());
    direct(device, false);
    while (device.executed().size() < 50) ASSERT_TRUE(device.step());
    direct(device, true);
    while (device.step()) {
    }
    EXPECT_LT(device.executed().size(), 60u) << "what was launched while it was suspended has gates of its own";
    direct(device, false);
    device.run_freely();
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 100; }));
}

// At level 1 too, a launch into a suspended queue goes behind a gate. So a thread that suspends its own queue, launches
// and resumes does not wait for itself.
TEST(GatedPath, AtLevelOneToo) {
    FakeDevice device(kGates);
    ASSERT_EQ(device.queue().set_level(kPreemptLevelBlock), kXSchedSuccess);
    device.queue().set_launch_config(4, 2);
    device.enqueue(0);
    device.queue().suspend(kQueueSuspendFlagNone);
    device.enqueue(1);
    device.enqueue(2);
    while (device.step()) {
    }
    EXPECT_EQ(device.executed(), std::vector<int>{0});
    EXPECT_EQ(device.gates_inserted, 1);
    device.queue().resume(kQueueResumeFlagNone);
    while (device.step()) {
    }
    EXPECT_EQ(device.executed(), (std::vector<int>{0, 1, 2}));
}

TEST(GatedPath, EverySuspensionGetsItsGate) {
    FakeDevice device(kGates);
    for (int round = 0; round < 5; ++round) {
        direct(device, true);
        const int before = device.gates_inserted;
        device.enqueue(2 * round);
        EXPECT_EQ(device.gates_inserted, before + 1);
        device.enqueue(2 * round + 1);  // on a slow machine commands seem long, and each gets a gate
        EXPECT_FALSE(device.step());
        direct(device, false);
        while (device.step()) {
        }
    }
    EXPECT_EQ(device.executed().size(), 10u);
}

TEST(GatedPath, WhileSomebodyMayComeGatesGoInNowAndThen) {
    FakeDevice device(kGates);
    device.slot().window_ns = 1'000'000;
    for (int i = 0; i < 400; ++i) device.enqueue(i);  // nothing runs yet: no length is known that would matter
    EXPECT_GE(device.gates_inserted, 400 / 64);
    EXPECT_LE(device.gates_inserted, 400 / 2);
    device.run_freely();
    for (int i = 400; i < 3000; ++i) device.enqueue(i);
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 3000; }));
}

// Two queues share one hardware queue, where commands of the less urgent one would stand before the urgent one's. So
// the less urgent one has no gates and few commands in flight.
TEST(GatedPath, AQueueThatSharesItsHardwareHasNoGatesAndLittleInFlight) {
    FakeDevice device(kGates), urgent(kGates);
    urgent.slot().priority = 10;
    device.slot().window_ns = 1'000'000;
    xq_share_hardware(urgent.abi_queue(), device.abi_queue());
    Program program(device, 40);
    EXPECT_TRUE(eventually([&] { return program.launched() > 0; }));
    xsched::test::let_time_pass();
    EXPECT_LE(device.in_driver(), 10u) << "reports included";
    direct(device, true);
    while (device.step()) {  // no gate holds it
    }
    const int then = program.launched();
    xsched::test::let_time_pass();
    EXPECT_LE(program.launched(), then + 1) << "the caller waits";
    program.all_run();
    EXPECT_EQ(device.gates_inserted, 0);
    xq_end_sharing(device.abi_queue());
    for (int i = 40; i < 240; ++i) device.enqueue(i);
    EXPECT_GT(device.gates_inserted, 0);
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 240; }));
}

// A less urgent queue has few commands in flight before the urgent queue on the same hardware queue has work:
// otherwise the urgent one's first burst would stand behind all of them.
TEST(GatedPath, AQueueIsKeptShortBeforeTheMoreUrgentOneHasWork) {
    FakeDevice device(kGates), urgent(kGates);
    urgent.slot().priority = 10;
    device.slot().window_ns = 1'000'000;
    urgent.slot().window_ns = 1'000'000;
    xq_stand_before(device.abi_queue(), urgent.abi_queue());
    xq_stand_before(urgent.abi_queue(), device.abi_queue());
    Program program(device, 40);
    EXPECT_TRUE(eventually([&] { return program.launched() > 0; }));
    xsched::test::let_time_pass();
    EXPECT_LE(device.in_driver(), 10u) << "reports included";
    EXPECT_EQ(device.slot().inherited_until[0], 0u) << "nobody waits for it yet";
    for (int i = 0; i < 40; ++i) urgent.enqueue(i);
    EXPECT_GE(urgent.in_driver(), 40u);
    device.run_freely();
    program.join();
    EXPECT_EQ(device.gates_inserted, 0);
}

TEST(GatedPath, OnlyTheLessUrgentOfTwoThatShareMakesRoom) {
    FakeDevice device(kGates), urgent(kGates);
    urgent.slot().priority = 10;
    urgent.slot().window_ns = 1'000'000;
    xq_share_hardware(device.abi_queue(), urgent.abi_queue());
    for (int i = 0; i < 100; ++i) urgent.enqueue(i);
    EXPECT_GE(urgent.in_driver(), 100u);
    EXPECT_EQ(urgent.slot().inherited_until[0], 0u);
}

// Commands may be behind a closed gate when the queue begins to share its hardware queue with a more urgent one.
TEST(GatedPath, WhatStandsBehindAGateInSharedHardwareInheritsThePriority) {
    FakeDevice device(kGates), urgent(kGates);
    urgent.slot().priority = 10;
    direct(device, true);
    device.enqueue(0);
    xq_share_hardware(urgent.abi_queue(), device.abi_queue());
    EXPECT_EQ(device.slot().inherited_priority[0], 10);
    EXPECT_EQ(device.slot().inherited_until[0], 1u);
    direct(device, false);
    device.run_freely();
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 1; }));
}

TEST(GatedPath, NoGateStandsBeforeAMarker) {
    FakeDevice device(kGates);
    direct(device, true);
    device.enqueue_marker(0);
    EXPECT_EQ(device.gates_inserted, 0);
    EXPECT_TRUE(device.step()) << "all before it is done";
    device.enqueue(1);
    EXPECT_EQ(device.gates_inserted, 1);
    while (device.step()) {
    }
    EXPECT_EQ(device.executed(), std::vector<int>{0});
    direct(device, false);
    device.run_freely();
    EXPECT_TRUE(eventually([&] { return device.executed().size() == 2; }));
}

TEST(GatedPath, NoMoreThanTheCapStandsBehindAClosedGate) {
    FakeDevice device(kGates);
    direct(device, true);
    Program program(device, 2000);
    EXPECT_TRUE(eventually([&] { return program.launched() == 512; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(program.launched(), 512) << "the caller waits in our code, outside the driver";
    program.all_run();
}

TEST(GatedPath, AThresholdIsKept) {
    for (const Traits& traits : {kGates, kNoGates}) {
        FakeDevice device(traits);
        device.queue().set_launch_config(4, 1);
        std::thread program([&] {
            for (int i = 0; i < 100; ++i) device.enqueue(i);
        });
        size_t most = 0;
        while (device.executed().size() < 100) {
            most = std::max(most, device.in_driver());
            if (!device.step()) std::this_thread::yield();
        }
        program.join();
        EXPECT_LE(most, 4u * 2) << "each command and its report";
    }
}

// The program itself suspends this queue by the API. After its first suspension it may do so at any time again, so
// its commands get gates.
TEST(GatedPath, AQueueThatTheProgramSuspendsHasGatesWhileItRuns) {
    FakeDevice device(kGates);
    device.queue().suspend(kQueueSuspendFlagNone);
    device.queue().resume(kQueueResumeFlagNone);
    for (int i = 0; i < 200; ++i) device.enqueue(i);
    device.step();
    device.queue().suspend(kQueueSuspendFlagNone);
    while (device.step()) {
    }
    EXPECT_LE(device.executed().size(), 64u) << "it stops at the next gate";
}

TEST(GatedPath, WithoutGatesItIsLevelOneAndTheCallerWaits) {
    FakeDevice device(kNoGates);
    direct(device, true);
    Program program(device, 10);
    EXPECT_TRUE(eventually([&] { return device.slot().level == 1u; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(program.launched(), 0);
    program.all_run();
}

// A thread waits because the launch window is full, and the device makes no progress. It goes ahead after a while:
// the device may wait for something that this thread does next, such as a store.
TEST(GatedPath, ACallerAtTheWindowOfAStuckDeviceGoesAhead) {
    for (const Traits& traits : {kGates, kNoGates}) {
        FakeDevice device(traits);
        device.queue().set_launch_config(2, 1);
        std::atomic<bool> launched{false};
        std::thread program([&] {
            for (int i = 0; i < 20; ++i) device.enqueue(i);
            launched = true;
        });
        EXPECT_TRUE(eventually([&] { return launched.load(); })) << "no command of the device ran";
        program.join();
    }
}

TEST(GatedPath, AWaitingCallerIsWork) {
    FakeDevice device(kNoGates);
    direct(device, true);
    std::thread program([&] { device.enqueue(0); });
    EXPECT_TRUE(eventually([&] { return device.slot().waiting == 1; }));
    EXPECT_GT(device.slot().ready_since_ns, 0);
    direct(device, false);
    program.join();
    EXPECT_EQ(device.slot().waiting, 0u);
}

TEST(GatedPath, ADestroyedStreamKeepsItsGateUntilItsWorkIsDone) {
    FakeDevice old(kGates);
    direct(old, true);
    old.enqueue(0);
    const uint32_t index = old.queue().index();
    uint32_t* const gate = old.gate_word;
    old.destroy_stream();
    EXPECT_GE(*gate, xsched::ipc::kGateOpen);
    {
        const FakeDevice next(kGates);
        EXPECT_NE(const_cast<FakeDevice&>(next).queue().index(), index)
            << "its gate could be closed for the old stream";
    }
    while (old.step()) {
    }
    FakeDevice later(kGates);
    EXPECT_EQ(later.queue().index(), index);
}

TEST(GatedPath, TheProgramsOwnSuspendAndTheSchedulersShareTheGate) {
    FakeDevice device(kGates);
    device.queue().suspend(kQueueSuspendFlagNone);
    device.enqueue(0);
    direct(device, true);
    direct(device, false);
    EXPECT_FALSE(device.step()) << "the scheduler's resume does not undo the program's suspend";
    direct(device, true);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_FALSE(device.step());
    direct(device, false);
    EXPECT_TRUE(device.step());
}

TEST(GatedPath, LosingTheServerOpensTheGateTheDeviceWaitsOn) {
    FakeDevice device(kGates);
    direct(device, true);
    device.enqueue(0);
    auto other = std::make_unique<xsched::ipc::Region>();
    device.queue().attach({&other->header, &other->slots[device.queue().index()]});
    EXPECT_TRUE(device.step()) << "the gate";
    EXPECT_TRUE(device.step());
    device.enqueue(1);
    while (device.step()) {
    }
    EXPECT_EQ(device.executed().size(), 2u);
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

TEST(GatedPath, RandomSuspensionsLoseNothing) {
    FakeDevice device(kGates);
    device.run_freely();
    std::atomic<bool> done{false};
    std::thread chaos([&] {
        std::mt19937 random(1);
        while (!done) {
            if (random() % 3 == 0) device.queue().suspend(kQueueSuspendFlagNone);
            direct(device, random() % 2 == 0);
            device.slot().window_ns = random() % 2 == 0 ? 1'000'000 : 0;
            device.region().header.watching = random() % 2;
            device.queue().resume(kQueueResumeFlagNone);
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
        direct(device, false);
    });
    for (int i = 0; i < 20'000; ++i) device.enqueue(i);
    done = true;
    chaos.join();
    ASSERT_TRUE(eventually([&] { return device.executed().size() == 20'000; }));
    const std::vector<int> executed = device.executed();
    for (int i = 0; i < 20'000; ++i) ASSERT_EQ(executed[i], i);
}

}  // namespace
