#include <gtest/gtest.h>

#include <thread>

#include "queue/devices.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;
using namespace xsched::test;

std::vector<int> range(int from, int to) {
    std::vector<int> ids;
    for (int i = from; i < to; ++i) ids.push_back(i);
    return ids;
}

// Returns whether the queue is idle, asked as XQueueQuery does: not all short commands are reported by themselves.
bool idle(FakeDevice& device) {
    device.queue().report_all();
    return !device.queue().ready();
}

class XQueueBoth : public testing::TestWithParam<Traits> {};
INSTANTIATE_TEST_SUITE_P(Devices, XQueueBoth, testing::Values(kHolds, kBuffers),
                         [](const auto& p) { return p.param.holds ? "holds" : "buffers"; });

TEST_P(XQueueBoth, AnOpenQueueLaunchesOnTheCallersThread) {
    FakeDevice device(GetParam());
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(device.enqueue(i));
    EXPECT_EQ(device.driver_calls_on(std::this_thread::get_id()), 16);
    EXPECT_EQ(device.runnable(), 16u);
}

TEST_P(XQueueBoth, NoMoreThanTheWindowIsInFlight) {
    FakeDevice device(GetParam());
    device.queue().set_launch_config(4, 2);
    for (int i = 0; i < 50; ++i) device.enqueue(i);
    size_t most = 0;
    while (device.executed().size() < 50) {
        ASSERT_TRUE(eventually([&] { return device.runnable() > 0; }));
        most = std::max(most, device.runnable());
        ASSERT_TRUE(device.step());
    }
    EXPECT_LE(most, 4u);
    EXPECT_EQ(device.executed(), range(0, 50));
}

TEST_P(XQueueBoth, ASuspendedQueueRunsNothingAndResumesInOrder) {
    FakeDevice device(GetParam());
    ASSERT_EQ(device.queue().suspend(kQueueSuspendFlagNone), kXSchedSuccess);
    for (int i = 0; i < 30; ++i) device.enqueue(i);
    EXPECT_FALSE(device.step());
    EXPECT_TRUE(device.queue().ready());
    device.run_freely();
    EXPECT_TRUE(device.executed().empty());
    ASSERT_EQ(device.queue().resume(kQueueResumeFlagNone), kXSchedSuccess);
    ASSERT_TRUE(eventually([&] { return device.executed().size() == 30; }));
    EXPECT_EQ(device.executed(), range(0, 30));
    EXPECT_TRUE(eventually([&] { return idle(device); }));
}

TEST_P(XQueueBoth, TheSchedulersDirectiveActsWithoutAnyThreadOfOurs) {
    FakeDevice device(GetParam());
    device.slot().suspended = 1;  // as xserver writes it
    device.enqueue(0);
    EXPECT_FALSE(device.step());
    device.slot().suspended = 0;
    device.queue().apply_directive();
    ASSERT_TRUE(eventually([&] { return device.step(); }));
    EXPECT_EQ(device.executed(), range(0, 1));
}

TEST_P(XQueueBoth, BothMustAgreeBeforeItRuns) {
    FakeDevice device(GetParam());
    device.queue().suspend(kQueueSuspendFlagNone);
    device.slot().suspended = 1;
    device.enqueue(0);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_FALSE(device.step());
    device.queue().suspend(kQueueSuspendFlagNone);
    device.slot().suspended = 0;
    device.queue().apply_directive();
    EXPECT_FALSE(device.step());
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_TRUE(eventually([&] { return device.step(); }));
}

TEST_P(XQueueBoth, DroppedCommandsNeverRunButCount) {
    FakeDevice device(GetParam());
    device.queue().suspend(kQueueSuspendFlagNone);
    for (int i = 0; i < 20; ++i) device.enqueue(i);
    device.queue().resume(kQueueResumeFlagDropCommands);
    device.enqueue(100);
    device.run_freely();
    ASSERT_TRUE(eventually([&] { return idle(device); }));
    EXPECT_EQ(device.executed(), std::vector<int>{100});
    EXPECT_EQ(device.queue().submitted(), 21);
}

TEST_P(XQueueBoth, SuspendCanWaitForWhatIsInFlight) {
    FakeDevice device(GetParam());
    for (int i = 0; i < 10; ++i) device.enqueue(i);
    device.run_freely();
    ASSERT_EQ(device.queue().suspend(kQueueSuspendFlagSyncHwQueue), kXSchedSuccess);
    EXPECT_EQ(device.executed().size(), 10u);
}

TEST_P(XQueueBoth, SuspendCanWaitForEverythingSubmitted) {
    FakeDevice device(GetParam());
    device.queue().set_launch_config(2, 1);
    for (int i = 0; i < 40; ++i) device.enqueue(i);
    device.run_freely();
    ASSERT_EQ(device.queue().suspend(kQueueSuspendFlagWaitAll), kXSchedSuccess);
    EXPECT_EQ(device.executed().size(), 40u);
    ASSERT_EQ(device.queue().suspend(kQueueSuspendFlagWaitAll), kXSchedSuccess) << "suspended already: at once";
}

TEST_P(XQueueBoth, WhoWaitedForEverythingFindsItIdleThoughCompletionIsToldLate) {
    FakeDevice device(GetParam());
    device.reports_late = true;
    for (int i = 0; i < 5; ++i) device.enqueue(i);
    device.run_freely();
    std::atomic<bool> told{false};
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        told = true;
        while (!idle(device)) device.report_now();
    });
    EXPECT_EQ(device.queue().wait_all(), kXSchedSuccess);
    EXPECT_TRUE(told);
    EXPECT_FALSE(device.queue().ready());
    late.join();
}

TEST_P(XQueueBoth, SuspendCanWaitUntilIdle) {
    FakeDevice device(GetParam());
    for (int i = 0; i < 40; ++i) device.enqueue(i);
    device.run_freely();
    ASSERT_EQ(device.queue().suspend(kQueueSuspendFlagWaitIdle), kXSchedSuccess);
    EXPECT_TRUE(idle(device));
}

TEST_P(XQueueBoth, AFailedDriverCallLeavesNoTrace) {
    FakeDevice device(GetParam());
    if (!GetParam().holds) GTEST_SKIP() << "a buffered command reports its failure through its launch";
    device.queue().suspend(kQueueSuspendFlagNone);
    device.enqueue(0);
    EXPECT_FALSE(device.enqueue(1, true));
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_FALSE(device.enqueue(2, true));
    device.enqueue(3);
    device.run_freely();
    ASSERT_TRUE(eventually([&] { return idle(device); }));
    EXPECT_EQ(device.executed(), (std::vector<int>{0, 3}));
    EXPECT_TRUE(eventually([&] { return device.holds_alive == 0; }));
}

TEST_P(XQueueBoth, ReadinessIsPublishedWithItsTimesAndRung) {
    FakeDevice device(GetParam());
    device.region().header.watching = 1;
    const uint32_t before = device.region().header.doorbell;
    device.enqueue(0);
    EXPECT_GT(device.region().header.doorbell, before);
    EXPECT_EQ(device.slot().submitted, 1u);
    EXPECT_GT(device.slot().ready_since_ns, 0);
    const uint32_t ready = device.region().header.doorbell;
    device.step();
    EXPECT_EQ(device.slot().completed, 1u);
    EXPECT_GE(device.slot().idle_since_ns, device.slot().ready_since_ns);
    EXPECT_GT(device.region().header.doorbell, ready);
}

TEST_P(XQueueBoth, NobodyWatchingMeansNobodyIsRung) {
    FakeDevice device(GetParam());
    const uint32_t before = device.region().header.doorbell;
    device.enqueue(0);
    device.step();
    EXPECT_EQ(device.region().header.doorbell, before);
}

TEST_P(XQueueBoth, AMovedQueueKeepsCountsAndHintsAndIsLetGo) {
    FakeDevice device(GetParam());
    device.slot().priority = 7;
    device.slot().suspended = 1;
    device.enqueue(0);
    auto other = std::make_unique<xsched::ipc::Region>();
    device.queue().attach({&other->header, &other->slots[device.queue().index()]});
    EXPECT_EQ(other->slots[device.queue().index()].submitted, 1u);
    EXPECT_EQ(other->slots[device.queue().index()].priority, 7);
    EXPECT_TRUE(eventually([&] { return device.step(); }));
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

TEST_P(XQueueBoth, StaleTokensAreRefused) {
    FakeDevice device(GetParam());
    device.enqueue(0);
    device.step();
    xq_complete((uint64_t{1} << 48) | device.queue().index());  // generation 0 was never handed out
    xq_complete(0);
    EXPECT_EQ(device.slot().completed, 1u);
}

TEST_P(XQueueBoth, AnOldPointerIsLetThroughNotLedToTheNextOwner) {
    XqQueue* old = nullptr;
    {
        FakeDevice gone(GetParam());
        old = gone.abi_queue();
    }
    FakeDevice next(GetParam());
    next.queue().suspend(kQueueSuspendFlagNone);
    XqTicket ticket;
    xq_admit(old, &ticket);
    EXPECT_EQ(ticket.verdict, static_cast<uint32_t>(kXqLaunch));
    EXPECT_EQ(ticket.hold, nullptr);
    xq_launched(old, &ticket, kXqSucceeded);
    EXPECT_EQ(next.queue().submitted(), 0);
}

}  // namespace
