// The behaviour of a queue with holds alone; the part that it shares with the others is in xqueue_test.cpp.
#include <gtest/gtest.h>

#include "queue/devices.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::test::kHolds;

TEST(HeldPath, ARefusedHoldLetsTheCommandPass) {
    FakeDevice device(kHolds);
    device.refuse_holds = true;
    device.queue().suspend(kQueueSuspendFlagNone);
    device.enqueue(0);
    EXPECT_TRUE(device.step());
}

TEST(HeldPath, ARetiredQueueFinishesItsHeldWorkFirst) {
    FakeDevice device(kHolds);
    device.queue().suspend(kQueueSuspendFlagNone);
    device.enqueue(0);
    device.queue().retire(kXqLastReport);
    EXPECT_EQ(device.destroyed, 0);
    device.queue().resume(kQueueResumeFlagNone);
    EXPECT_TRUE(device.step());
    EXPECT_EQ(device.destroyed, 1);
}

}  // namespace
