// The public interface's answers: levels, handles, ranges.
#include "fake/device/fake_device.h"
#include "xsched/xsched.h"

#include <gtest/gtest.h>

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

// A driver may tell of a completion later than its synchronize returns.
TEST(CApi, ADestroyedQueueGivesItsHardwareQueueBackAtOnce) {
    FakeDevice device({.through_api = true});
    device.reports_late = true;
    device.enqueue(0);
    while (device.step()) {}
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
    EXPECT_EQ(XHintDeadline(device.handle(), -1), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintLaxity(device.handle(), 5, 1000, 0), kXSchedErrorInvalidValue);
    EXPECT_EQ(XHintKDeadline(0), kXSchedErrorInvalidValue);
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

}  // namespace
