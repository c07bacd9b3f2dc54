// The public interface's answers: levels, handles, ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "fake/device/fake_device.h"
#include "queue/abi/memory_abi.h"
#include "xsched/xsched.h"

namespace {

using xsched::fake::FakeDevice;

TEST(CApi, TheHighestLevelIsChosenAndAMissingOneRefused) {
    FakeDevice three({.holds = false, .levels = 0b1110, .through_api = true});
    EXPECT_EQ(three.slot().level, 3u);
    FakeDevice one({.through_api = true});
    EXPECT_EQ(one.slot().level, 1u);
    EXPECT_EQ(XQueueSetPreemptLevel(one.handle(), kPreemptLevelInterrupt), kXSchedErrorNotSupported);
    XQueueHandle again = 0;
    EXPECT_EQ(XQueueCreate(&again, one.hwq(), 0, 0), kXSchedErrorNotAllowed) << "one XQueue per HwQueue";
    ASSERT_EQ(XQueueDestroy(one.handle()), kXSchedSuccess);
    EXPECT_EQ(XQueueCreate(&again, one.hwq(), 3, 0), kXSchedErrorNotSupported);
    EXPECT_EQ(XQueueCreate(&again, one.hwq(), 4, 0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueCreate(nullptr, one.hwq(), 0, 0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueCreate(&again, 999'999, 0, 0), kXSchedErrorNotFound);
}

// The second run of this test (agent_asked_level) asks for level 2.
TEST(CApi, AQueueThatAShimMakesHasTheHighestLevelNotAboveTheAskedOne) {
    const auto level_of = [](uint32_t levels) {
        FakeDevice device({.holds = false, .levels = levels, .through_api = true});
        EXPECT_EQ(XQueueDestroy(device.handle()), kXSchedSuccess);
        EXPECT_NE(xq_auto_create(device.hwq(), 0), nullptr);
        xsched::queue::XQueue* made = xsched::queue::queue_of_hwq(device.hwq());
        const uint32_t level = made->slot()->level;
        EXPECT_EQ(XQueueDestroy(made->handle()), kXSchedSuccess);
        return level;
    };
    const bool asked = xsched::base::options().level == kPreemptLevelDeactivate;
    EXPECT_EQ(level_of(0b0010), 1u);
    EXPECT_EQ(level_of(0b0110), 2u);
    EXPECT_EQ(level_of(0b1110), asked ? 2u : 3u);
    EXPECT_EQ(level_of(0b1010), asked ? 1u : 3u) << "level 3 is above the asked one";
}

TEST(CApi, ADestroyedHandleIsNeverAnotherQueue) {
    XQueueHandle first = 0;
    {
        FakeDevice device({.through_api = true});
        first = device.handle();
        EXPECT_EQ(HwQueueDestroy(device.hwq()), kXSchedErrorNotAllowed) << "in use by its XQueue";
    }
    EXPECT_EQ(XQueueSuspend(first, 0), kXSchedErrorNotFound);
    FakeDevice next({.through_api = true});
    EXPECT_NE(next.handle(), first);
    EXPECT_EQ(XQueueSuspend(first, 0), kXSchedErrorNotFound);
}

// A queue that is destroyed gives its hardware queue back at once, also if the driver reports a completion only after
// its synchronize has returned.
TEST(CApi, ADestroyedQueueGivesItsHardwareQueueBackAtOnce) {
    FakeDevice device({.through_api = true});
    device.reports_late = true;
    device.enqueue(0);
    while (device.step()) {
    }
    EXPECT_EQ(XQueueDestroy(device.handle()), kXSchedSuccess);
    EXPECT_EQ(HwQueueDestroy(device.hwq()), kXSchedSuccess);
    device.report_now();
    EXPECT_EQ(device.handle(), 0u) << "and it is gone when the last report has come";
}

TEST(CApi, HintsOutOfRangeAreRefused) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(XHintPriority(device.handle(), 256), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintPriority(device.handle(), -257), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintPriority(device.handle(), PRIORITY_NO_EXECUTE), kXSchedSuccess);
    EXPECT_EQ(XHintUtilization(device.handle(), 101), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintTimeslice(99), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintTimeslice(5000), kXSchedSuccess);
    EXPECT_EQ(XHintTimeslice(TIMESLICE_MAX + 1), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintDeadline(device.handle(), -2), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintLaxity(device.handle(), -2, 0, 0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintLaxity(device.handle(), 5, 1000, 0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintKDeadline(0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintEvictable(2), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintMemoryLimit(-1), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintMemoryGuarantee((int64_t{1} << 48) + 1), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintGetPriority(device.handle(), nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintSetScheduler(kSchedulerUnknown, kPolicyUnknown), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintSetScheduler(kSchedulerLocal, kPolicyUnknown), kXSchedErrorNotSupported);
}

TEST(CApi, ProfileAndQuery) {
    FakeDevice device({.through_api = true});
    XQueueState state = kQueueStateUnknown;
    EXPECT_EQ(XQueueQuery(device.handle(), &state), kXSchedSuccess);
    EXPECT_EQ(state, kQueueStateIdle);
    device.enqueue(0);
    XQueueQuery(device.handle(), &state);
    EXPECT_EQ(state, kQueueStateReady);
    int64_t count = 0;
    EXPECT_EQ(XQueueProfileHwCommandCount(device.handle(), &count), kXSchedSuccess);
    EXPECT_EQ(count, 1);
    device.run_freely();
    EXPECT_EQ(XQueueWaitAll(device.handle()), kXSchedSuccess);
    EXPECT_EQ(XQueueQuery(device.handle(), nullptr), kXSchedErrorInvalidValue);
}

TEST(CApi, HintsReachTheQueue) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(XHintPriority(device.handle(), 7), kXSchedSuccess);
    EXPECT_EQ(XHintUtilization(device.handle(), 30), kXSchedSuccess);
    EXPECT_EQ(XHintDeadline(device.handle(), 8000), kXSchedSuccess);
    EXPECT_EQ(XHintLaxity(device.handle(), 900, -3, 9), kXSchedSuccess);
    Priority priority = 0;
    EXPECT_EQ(XHintGetPriority(device.handle(), &priority), kXSchedSuccess);
    EXPECT_EQ(priority, 7);
    EXPECT_EQ(device.slot().utilization, 30);
    EXPECT_EQ(device.slot().deadline_us, 8000);
    EXPECT_EQ(device.slot().laxity_us, 900);
    EXPECT_EQ(XHintDeadline(device.handle(), NO_DEADLINE), kXSchedSuccess);
    EXPECT_EQ(XHintLaxity(device.handle(), NO_LAXITY, 0, 0), kXSchedSuccess);
    EXPECT_EQ(device.slot().deadline_us, 0);
    EXPECT_EQ(device.slot().laxity_us, 0);
}

TEST(CApi, WhatIsSaidOfMemoryIsForAllQueuesAndLaterOnes) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(XHintEvictable(1), kXSchedSuccess);
    EXPECT_EQ(XHintMemoryLimit(int64_t{3} << 30), kXSchedSuccess);
    EXPECT_EQ(XHintMemoryGuarantee(1 << 20), kXSchedSuccess);
    FakeDevice later({.through_api = true});
    for (FakeDevice* each : {&device, &later}) {
        EXPECT_EQ(each->slot().evictable, 1);
        EXPECT_EQ(each->slot().memory_limit, int64_t{3} << 30);
        EXPECT_EQ(each->slot().memory_guarantee, 1 << 20);
    }
    EXPECT_EQ(xq_memory_rules().limit, uint64_t{3} << 30);
    EXPECT_TRUE(xq_memory_rules().evictable);
    EXPECT_EQ(XHintEvictable(0), kXSchedSuccess);
    EXPECT_EQ(XHintMemoryLimit(0), kXSchedSuccess);
    EXPECT_EQ(XHintMemoryGuarantee(0), kXSchedSuccess);
    EXPECT_FALSE(xq_memory_rules().evictable);
}

TEST(CApi, MemoryThatCannotBeMovedIsNotYielded) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(XHintYieldMemory(), kXSchedErrorNotSupported);
    EXPECT_EQ(XHintAcquireMemory(), kXSchedSuccess);
}

TEST(CApi, BurstsAreAnnouncedByTimeAndByPeriod) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(device.slot().expect_ns, 0);
    const int64_t before_ns = xsched::base::now_ns();
    EXPECT_EQ(XHintExpect(device.handle(), 5000), kXSchedSuccess);
    EXPECT_GE(device.slot().expect_ns, before_ns + 5 * xsched::base::kMillisecond);
    EXPECT_LE(device.slot().expect_ns, xsched::base::now_ns() + 5 * xsched::base::kMillisecond);
    EXPECT_EQ(XHintPeriod(device.handle(), 20'000), kXSchedSuccess);
    EXPECT_EQ(device.slot().period_us, 20'000);
    for (const int64_t wrong : {int64_t{-1}, int64_t{3'600'000'001}}) {
        EXPECT_EQ(XHintExpect(device.handle(), wrong), kXSchedErrorInvalidValue);
        EXPECT_EQ(XHintPeriod(device.handle(), wrong), kXSchedErrorInvalidValue);
    }
    EXPECT_EQ(XHintExpect(device.handle(), 0), kXSchedSuccess);
    EXPECT_EQ(XHintPeriod(device.handle(), 0), kXSchedSuccess);
    EXPECT_EQ(device.slot().expect_ns, 0);
    EXPECT_EQ(device.slot().period_us, 0);
    EXPECT_EQ(XHintExpect(12345, 1), kXSchedErrorNotFound);
}

TEST(CApi, ATurnsLengthCountsForQueuesMadeLaterToo) {
    EXPECT_EQ(XHintTimeslice(2500), kXSchedSuccess);
    FakeDevice later({.through_api = true});
    EXPECT_EQ(later.slot().timeslice_us, 2500);
    EXPECT_EQ(XHintTimeslice(static_cast<Timeslice>(TIMESLICE_UNLIMITED)), kXSchedSuccess);
    EXPECT_EQ(later.slot().timeslice_us, TIMESLICE_MAX);
    EXPECT_EQ(XHintTimeslice(TIMESLICE_DEFAULT), kXSchedSuccess);
}

// If a program sets a threshold below the batch size, the batch size becomes the threshold. Once this ended the
// program.
TEST(CApi, ABatchIsAtMostTheThreshold) {
    FakeDevice device({.through_api = true});
    EXPECT_EQ(XQueueSetLaunchConfig(device.handle(), 16, 8), kXSchedSuccess);
    EXPECT_EQ(XQueueSetLaunchConfig(device.handle(), 4, 0), kXSchedSuccess);
    EXPECT_EQ(device.slot().threshold, 4u);
    EXPECT_EQ(device.slot().batch_size, 4u);
    EXPECT_EQ(XQueueSetLaunchConfig(device.handle(), -1, 2), kXSchedSuccess);
    EXPECT_EQ(device.slot().threshold, 4u);
    EXPECT_EQ(device.slot().batch_size, 2u);
    EXPECT_EQ(XQueueSetLaunchConfig(device.handle(), -2, 1), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueSetLaunchConfig(device.handle(), 65536, 1), kXSchedErrorInvalidValue);
}

TEST(CApi, MaskAllIsEveryFlagAndUnknownOnesAreRefused) {
    FakeDevice device({.through_api = true});
    device.run_freely();
    EXPECT_EQ(XQueueSuspend(device.handle(), kQueueSuspendFlagMaskAll), kXSchedSuccess);
    EXPECT_EQ(XQueueResume(device.handle(), kQueueResumeFlagMaskAll), kXSchedSuccess);
    EXPECT_EQ(XQueueSuspend(device.handle(), 8), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueResume(device.handle(), 2), kXSchedErrorInvalidValue);
    XQueueHandle again = 0;
    EXPECT_EQ(XQueueCreate(&again, device.hwq(), 0, 2), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueSetPreemptLevel(device.handle(), 4), kXSchedErrorInvalidValue);
    EXPECT_EQ(XQueueSetPreemptLevel(device.handle(), int64_t{1} << 32 | 1), kXSchedErrorInvalidValue);
}

// Commands that are not held in our memory cannot be dropped: the program is told, and goes on.
TEST(CApi, DroppingWhatTheDriverHasIsNotSupported) {
    FakeDevice device({.levels = 0b110, .gated = true, .through_api = true});
    EXPECT_EQ(XQueueSuspend(device.handle(), 0), kXSchedSuccess);
    EXPECT_EQ(XQueueResume(device.handle(), kQueueResumeFlagDropCommands), kXSchedSuccess) << "nothing was held";
    EXPECT_EQ(XQueueSuspend(device.handle(), 0), kXSchedSuccess);
    device.enqueue(1);
    EXPECT_EQ(XQueueResume(device.handle(), kQueueResumeFlagDropCommands), kXSchedErrorNotSupported);
    device.run_freely();
    EXPECT_EQ(XQueueWaitAll(device.handle()), kXSchedSuccess);
    EXPECT_EQ(device.executed(), std::vector<int>{1});
}

// Suspends and resumes on several threads once raced: a queue could stay suspended, or work was lost.
TEST(CApi, SuspendsAndResumesOfManyThreadsLoseNothing) {
    FakeDevice device({.through_api = true});
    device.run_freely();
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            while (!done) {
                XQueueSuspend(device.handle(), 0);
                XQueueResume(device.handle(), 0);
            }
        });
    for (int i = 0; i < 2000; ++i) device.enqueue(i);
    done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(XQueueResume(device.handle(), 0), kXSchedSuccess);
    EXPECT_EQ(XQueueWaitAll(device.handle()), kXSchedSuccess);
    const std::vector<int> executed = device.executed();
    ASSERT_EQ(executed.size(), 2000u);
    EXPECT_TRUE(std::is_sorted(executed.begin(), executed.end()));
}

}  // namespace
